/**
 * Bench 6: one node, two and four, each with the same slice of CPU: does their total throughput grow with their number? For comparison,
 * four single-node clusters, each with its own load: what four nodes of one cluster cost more than these is the cost of clustering; the
 * rest is the cost of the shared machine.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOfAll, cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { cloneInto, startCluster } from '../world/cluster.ts';
import type { Cluster, Node } from '../world/cluster.ts';
import type { BenchChannel } from '../world/channels.ts';
import { setUpstreamDelay, staysWarm } from '../world/testbed.ts';
import { startServers } from '../world/servers.ts';
import { sliceOf } from '../world/slices.ts';
import type { Slice } from '../world/slices.ts';
import { CannotRun, measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { sendLoad } from './targets.ts';
import type { Server } from './targets.ts';

const sizes = [1, 2, 4];
const apart = 4;
/** So that four nodes, their servers, upstream and the load fit on two cores. */
const sliceCores = 0.15;
const channels = 16;
/**
 * Connections per node: enough that a node never waits for work, and few enough that requests cut off at the end of a load do not matter.
 */
const perNode = 8;
/** Idle time before, and duration of, the measurement of idle nodes. */
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
  /** Adds a contender: clusters that carry their loads at the same time, each node limited to its slice. */
  const contend = async (name: string, atOnce: readonly Cluster[]): Promise<void> => {
    const parts: Part[] = [];
    for (const cluster of atOnce) parts.push({ cluster, clones: await cloneInto(cluster, channels) });
    const roles = rolesOf(bench, atOnce);
    clusters.push(...atOnce);
    tell(`  warming up ${name}`);
    const nodes = atOnce.flatMap((cluster) => cluster.nodes);
    // Not yet limited to slices. Nodes that share the machine take longer until each has compiled its code.
    await contenderOf(name, parts, { seconds: options.warmUp.seconds * nodes.length }).carry();
    for (const node of nodes) slices.push(held(node.id, node.pid));
    notes.push(`${name}: ${await idleCost(nodes)}`);
    shares.push(() => `${name}: ${roles.told()}`);
    contenders.push(contenderOf(name, parts, { seconds: Math.max(4, options.seconds), roles }));
  };
  for (const size of sizes) {
    const cluster = await startCluster(testbed, servers, {
      name: `of${size}`,
      nodes: size,
      flags: staysWarm,
    });
    await contend(size === 1 ? '1 node' : `${size} nodes`, [cluster]);
  }
  const alone: Cluster[] = [];
  for (let n = 1; n <= apart; n += 1)
    alone.push(await startCluster(testbed, servers, { name: `apart${n}`, nodes: 1, flags: staysWarm }));
  await contend(`${apart} apart`, alone);
  const rounds = await measureRounds(bench, contenders);
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  await Promise.all(servers.servers.map((program) => program.stop()));
  for (const slice of slices) slice.close();
  const about = {
    id: '6',
    title: `one node, two, four, and four apart, each ${sliceCores * 100} % of a core; ${channels} channels, any node is asked`,
    unit: 'send',
    store: 'MongoDB and Redis',
    notes: [
      ...notes,
      ...shares.map((told) => told()),
      'slices by the cgroup cpu controller, 20 ms periods; sends go to the nodes in turn, whoever owns the channel',
    ],
  };
  return resultOf(bench, about, rounds, ratiosIn(rounds));
}

function ratiosIn(rounds: readonly Round[]) {
  const perSecond = ({ perSecond: rate }: Carried): number => rate;
  return {
    'sends of 2 nodes to 1': ratioOf(rounds, '2 nodes', '1 node', perSecond),
    'sends of 4 nodes to 1': ratioOf(rounds, '4 nodes', '1 node', perSecond),
    'CPU per send, 2 nodes to 1': ratioOf(rounds, '2 nodes', '1 node', cpuOf),
    'CPU per send, 4 nodes to 1': ratioOf(rounds, '4 nodes', '1 node', cpuOf),
    'CPU per send, 4 nodes to 4 apart': ratioOf(rounds, '4 nodes', '4 apart', cpuOf),
    'sends of 4 nodes to 4 apart': ratioOf(rounds, '4 nodes', '4 apart', perSecond),
  };
}

/** Puts the process into a slice. `pid` null: only checks that slices can be made. */
function held(name: string, pid: number | null): Slice {
  const slice = sliceOf(name, sliceCores);
  if (slice === null)
    throw new CannotRun('this user may not make cgroups, so that nodes can not be held to a slice');
  if (pid !== null) slice.hold(pid);
  return slice;
}

/** CPU of all processes involved in a send, by role: on few cores they slow each other. */
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

function rolesOf({ testbed }: Bench, clusters: readonly Cluster[]): Roles {
  return new Roles({
    nodes: clusters.flatMap(({ nodes }) => nodes.map(({ pid }) => pid)),
    Redis: clusters.map(({ beside: [redis = 0] }) => redis),
    MongoDB: clusters.slice(0, 1).map(({ beside: [, mongo = 0] }) => mongo),
    upstream: [testbed.stub.pid],
    'load and receiver': [process.pid],
  });
}

async function idleCost(nodes: readonly Node[]): Promise<string> {
  await wait(idleMs);
  const before = cpuMsOfAll(nodes.map(({ pid }) => pid));
  await wait(idleMs);
  const ms = cpuMsOfAll(nodes.map(({ pid }) => pid)) - before;
  return `a node that does nothing takes ${((ms * 1_000) / idleMs / nodes.length).toFixed(1)} ms of CPU a second`;
}

interface Part {
  cluster: Cluster;
  clones: readonly BenchChannel[];
}

function contenderOf(
  name: string,
  parts: readonly Part[],
  { seconds, roles }: { seconds: number; roles?: Roles },
): Contender {
  const loads = parts.flatMap(({ cluster, clones }) =>
    cluster.nodes.map((node) => loadOf(cluster, node, clones)),
  );
  const carryAll = async (): Promise<Carried> => {
    const bounds = { seconds, units: 50_000, connections: perNode };
    return together(await Promise.all(loads.map((load) => sendLoad(load, bounds))));
  };
  const carry = (): Promise<Carried> => roles?.during(carryAll) ?? carryAll();
  // A channel is evicted after a minute without messages, and the other clusters' turns may take that long.
  const prepare = async (): Promise<void> => void (await carryAll());
  const beside = [...new Set(parts.flatMap(({ cluster }) => cluster.beside))];
  return { name, pids: loads.flatMap(({ pids }) => pids), beside, prepare, carry };
}

function loadOf({ channel }: Cluster, node: Node, clones: readonly BenchChannel[]): Server {
  const sends = {
    url: `${node.url}/api/v1/messages/send`,
    headers: { 'x-api-key': channel.key },
    channels: clones,
  };
  return { name: node.id, pids: [node.pid], beside: [], sends, hook: { url: '', phones: [] } };
}

/** Sum of loads that ran at the same time. Latencies are those of the slowest part, so never better than what a client saw. */
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
