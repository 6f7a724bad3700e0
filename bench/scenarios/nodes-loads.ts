/** The loads of bench 6: at every node, or by key through a balancer. */
import { keyEach } from '../world/cluster.ts';
import type { Cluster } from '../world/cluster.ts';
import type { BenchChannel } from '../world/channels.ts';
import type { Program } from '../world/programs.ts';
import { doorsOf } from './targets.ts';
import type { Server } from './targets.ts';

/**
 * Connections per node: enough that a node never waits for work, and few enough that requests cut off at the end of a load do not matter.
 */
const perNode = 8;
/** One server, or one of its clients, under load. */
export interface Load extends Server {
  connections: number;
}

/** Every node gets sends for every channel. */
export async function atEachNode({ nodes }: Cluster, clones: readonly BenchChannel[]): Promise<Load[]> {
  return nodes.map((node) => ({
    name: node.id,
    pids: [node.pid],
    beside: [],
    ...doorsOf(node, clones),
    connections: perNode,
  }));
}

/** Each channel has a key and a client of its own, which sends through the balancer. */
export function byKeyAt(balancer: Program): typeof atEachNode {
  return async (cluster, clones) => {
    const keyed = await keyEach(cluster, clones);
    return keyed.map((clone) => ({
      name: clone.id,
      pids: cluster.nodes.map(({ pid }) => pid),
      beside: [],
      ...doorsOf(balancer, [clone]),
      connections: (perNode * cluster.nodes.length) / keyed.length,
    }));
  };
}
