/** Bench 6: one node, two and four, each with the same slice of CPU: does the work they do together grow with them? */
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOfAll, cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { cloneInto, startCluster } from '../world/cluster.ts';
import type { Cluster } from '../world/cluster.ts';
import type { BenchChannel } from '../world/channels.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import { startServers } from '../world/servers.ts';
import { sliceOf } from '../world/slices.ts';
import type { Slice } from '../world/slices.ts';
import { CannotRun, measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { sendLoad } from './targets.ts';
import type { Server } from './targets.ts';

const sizes = [1, 2, 4];
/** Four of them, their servers, upstream and the load fit on two cores. */
const sliceCores = 0.15;
const channels = 16;
/** Enough that a node never waits for work, and few enough that what is cut off at the end of a load does not count. */
const perNode = 8;
/** How long the nodes do nothing while what that costs is measured. */
const idleMs = 4_000;

export async function benchNodes(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  held('trial', null).close();
  await setUpstreamDelay(testbed, 0);
  const servers = await startServers(testbed);
  const slices: Slice[] = [];
  const contenders: Contender[] = [];
  const clusters: Cluster[] = [];
  const notes: string[] = [];
  const shares: (() => string)[] = [];
  for (const size of sizes) {
    const cluster = await startCluster(testbed, servers, { name: `of${size}`, nodes: size });
    clusters.push(cluster);
    const clones = await cloneInto(cluster, channels);
    const roles = rolesOf(bench, cluster);
    const one = contenderOf(cluster, clones, { seconds: Math.max(4, options.seconds), roles });
    tell(`  warming up ${one.name}`);
    await contenderOf(cluster, clones, { seconds: options.warmUp.seconds }).carry(); // with all the CPU there is
    for (const node of cluster.nodes) slices.push(held(node.id, node.pid));
    notes.push(`${one.name}: ${await idleCost(cluster)}`);
    shares.push(() => `${one.name}: ${roles.told()}`);
    contenders.push(one);
  }
  const rounds = await measureRounds(bench, contenders);
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  await Promise.all(servers.servers.map((program) => program.stop()));
  for (const slice of slices) slice.close();
  const about = {
    id: '6',
    title: `one node, two, four, each ${sliceCores * 100} % of a core; ${channels} channels, any node is asked`,
    unit: 'send',
    store: 'MongoDB and Redis',
    notes: [
      ...notes,
      ...shares.map((told) => told()),
      'slices by the cgroup cpu controller, 20 ms periods; sends go to the nodes in turn, whoever owns the channel',
    ],
  };
  const perSecond = ({ perSecond: rate }: Carried): number => rate;
  return resultOf(bench, about, rounds, {
    'sends of 2 nodes to 1': ratioOf(rounds, '2 nodes', '1 node', perSecond),
    'sends of 4 nodes to 1': ratioOf(rounds, '4 nodes', '1 node', perSecond),
    'CPU per send, 2 nodes to 1': ratioOf(rounds, '2 nodes', '1 node', cpuOf),
    'CPU per send, 4 nodes to 1': ratioOf(rounds, '4 nodes', '1 node', cpuOf),
  });
}

/** `pid` null: only to see whether it can be done. */
function held(name: string, pid: number | null): Slice {
  const slice = sliceOf(name, sliceCores);
  if (slice === null)
    throw new CannotRun('this user may not make cgroups, so that nodes can not be held to a slice');
  if (pid !== null) slice.hold(pid);
  return slice;
}

/** CPU of every process that has to do with a send, told apart: on few cores they are in each other's way. */
class Roles {
  readonly #pids: Readonly<Record<string, readonly number[]>>;
  readonly #ms: Record<string, number> = {};
  #sends = 0;

  constructor(pids: Readonly<Record<string, readonly number[]>>) {
    this.#pids = pids;
  }

  async during(load: () => Promise<Carried>): Promise<Carried> {
    const before = this.#now();
    const carried = await load();
    for (const [role, ms] of this.#now())
      this.#ms[role] = (this.#ms[role] ?? 0) + ms - (before.get(role) ?? 0);
    this.#sends += carried.units;
    return carried;
  }

  told(): string {
    const each = Object.entries(this.#ms).map(
      ([role, ms]) => `${role} ${Math.round((ms * 1_000) / Math.max(1, this.#sends))}`,
    );
    return `CPU µs a send: ${each.join(', ')}`;
  }

  #now(): Map<string, number> {
    return new Map(Object.entries(this.#pids).map(([role, pids]) => [role, cpuMsOfAll(pids)]));
  }
}

function rolesOf({ testbed }: Bench, { nodes, beside: [redis = 0, mongo = 0] }: Cluster): Roles {
  return new Roles({
    nodes: nodes.map(({ pid }) => pid),
    Redis: [redis],
    MongoDB: [mongo],
    upstream: [testbed.stub.pid],
    'load and receiver': [process.pid],
  });
}

async function idleCost({ nodes }: Cluster): Promise<string> {
  await wait(idleMs);
  const before = cpuMsOfAll(nodes.map(({ pid }) => pid));
  await wait(idleMs);
  const ms = cpuMsOfAll(nodes.map(({ pid }) => pid)) - before;
  return `a node that does nothing takes ${((ms * 1_000) / idleMs / nodes.length).toFixed(1)} ms of CPU a second`;
}

function contenderOf(
  cluster: Cluster,
  clones: readonly BenchChannel[],
  { seconds, roles }: { seconds: number; roles?: Roles },
): Contender {
  const { nodes, beside, channel } = cluster;
  const loads = nodes.map((node): Server => {
    const sends = {
      url: `${node.url}/api/v1/messages/send`,
      headers: { 'x-api-key': channel.key },
      channels: clones,
    };
    return { name: node.id, pids: [node.pid], beside: [], sends, hook: { url: '', phones: [] } };
  });
  const carryAll = async (): Promise<Carried> => {
    const bounds = { seconds, units: 50_000, connections: perNode };
    const parts = await Promise.all(loads.map((load) => sendLoad(load, bounds)));
    return together(parts);
  };
  const name = nodes.length === 1 ? '1 node' : `${nodes.length} nodes`;
  const carry = (): Promise<Carried> => roles?.during(carryAll) ?? carryAll();
  // A channel that rests for a minute is let go; the other clusters' turns may take that long.
  const prepare = async (): Promise<void> => void (await carryAll());
  return { name, pids: nodes.map(({ pid }) => pid), beside, prepare, carry };
}

/** Of loads that ran at the same time. Latencies: of the slowest part, never better than what somebody saw. */
export function together(parts: readonly Carried[]): Carried {
  const sum = (pick: (part: Carried) => number): number => parts.reduce((all, part) => all + pick(part), 0);
  return {
    units: sum(({ units }) => units),
    failed: sum(({ failed }) => failed),
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: Math.max(...parts.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...parts.map(({ p99Ms }) => p99Ms)),
  };
}
