import type { Actor } from '../../rules/caller.ts';
import type { NodeInsight } from '../../ownership/cluster-view.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';

export function listNodes({ cluster }: World): Promise<NodeInsight[]> {
  return cluster.nodes();
}

/** As `ClusterView.drain`. [operator-interface §3] */
export async function drain(
  world: World,
  by: Actor | undefined,
  nodeId: string | null = null,
): Promise<void> {
  await world.cluster.drain(nodeId);
  await audit(world, by, 'node.drained', null, { accountId: null, subject: nodeId, shown: null });
}
