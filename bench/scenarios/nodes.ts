/**
 * Bench 6: one node, two and four, each with the same slice of CPU: does their total throughput grow with their number? For comparison,
 * four single-node clusters, each with its own load: what four nodes of one cluster cost more than these is the cost of clustering; the
 * rest is the cost of the shared machine. And four nodes behind HAProxy with our own file, which brings each API key to one node: what is
 * left of that cost when channels follow their sends.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOfAll, cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { startBalancer } from '../world/balancer.ts';
import { cloneInto, forwardedBy, startCluster } from '../world/cluster.ts';
import type { Cluster, Node } from '../world/cluster.ts';
import { setUpstreamDelay, staysWarm } from '../world/testbed.ts';
import { startServers } from '../world/servers.ts';
import { sliceOf } from '../world/slices.ts';
import type { Slice } from '../world/slices.ts';
import { CannotRun, measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { atEachNode, byKeyAt } from './nodes-loads.ts';
import type { Load } from './nodes-loads.ts';
import { sendLoad } from './targets.ts';
import type { Bounds } from './targets.ts';

const sizes = [1, 2, 4];
const most = 4;
/** So that four nodes, their servers, upstream and the load fit on two cores. */
const sliceCores = 0.15;
const channels = 32;
/** Sends that a node carries before it is held to its slice: enough that V8 has compiled what they run. */
const warmSends = 6_000;
/** Idle time before the measurement of idle nodes, and its duration. */
const [settleMs, idleMs] = [1_000, 4_000];
/** Makes the channels live again: one is evicted after a minute without messages, and the other clusters' turns may take that long. */
const reviveSeconds = 2;

export async function benchNodes(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  held('trial', null).close();
  await setUpstreamDelay(testbed, 0);
  const servers = await startServers(testbed);
  const slices: Slice[] = [];
  const contenders: Contender[] = [];
  const clusters: Cluster[] = [];
  const start = (name: string, nodes: number): Promise<Cluster> =>
    startCluster(testbed, servers, { name, nodes, flags: staysWarm });
  const notes: string[] = [];
  const shares: (() => Promise<string>)[] = [];
  /** Adds a contender: clusters that carry their loads at the same time, each node limited to its slice. */
  const contend = async (name: string, atOnce: readonly Cluster[], loadsOf = atEachNode): Promise<void> => {
    const loads: Load[] = [];
    for (const cluster of atOnce) loads.push(...(await loadsOf(cluster, await cloneInto(cluster, channels))));
    const roles = rolesOf(bench, atOnce);
    const hops = new Hops(atOnce.flatMap((cluster) => cluster.nodes));
    clusters.push(...atOnce);
    const nodes = atOnce.flatMap((cluster) => cluster.nodes);
    const load = { name, loads, beside: [...new Set(atOnce.flatMap(({ beside }) => beside))] };
    // Not yet limited to slices. Nodes that share the machine take longer until each has compiled its code.
    const warm = { seconds: options.warmUp.seconds * nodes.length, units: warmSends * nodes.length };
    const { units, perSecond } = await carryAll(load, warm);
    tell(`  ${name} warmed up: ${units} sends, ${perSecond.toFixed(0)}/s`);
    for (const node of nodes) slices.push(held(node.id, node.pid));
    notes.push(`${name}: ${await idleCost(nodes)}`);
    await hops.begin();
    shares.push(async () => `${name}: ${roles.told()}; ${await hops.told()}`);
    contenders.push(contenderOf(load, { seconds: Math.max(4, options.seconds), roles, hops }));
  };
  for (const size of sizes)
    await contend(size === 1 ? '1 node' : `${size} nodes`, [await start(`of${size}`, size)]);
  const behind = await start('ofKeys', most);
  const balancer = await startBalancer(testbed, behind.nodes);
  if (balancer !== null) await contend(`${most} by key`, [behind], byKeyAt(balancer));
  else notes.push('no HAProxy here: nothing is measured by key');
  const alone: Cluster[] = [];
  for (let n = 1; n <= most; n += 1) alone.push(await start(`apart${n}`, 1));
  await contend(`${most} apart`, alone);
  const rounds = await measureRounds(bench, contenders);
  const shared = await Promise.all(shares.map((share) => share()));
  await balancer?.stop();
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  await Promise.all(servers.servers.map((program) => program.stop()));
  for (const slice of slices) slice.close();
  const about = {
    id: '6',
    title: `one node, two, four, four by key, and four apart, each ${sliceCores * 100} % of a core; ${channels} channels`,
    unit: 'send',
    store: 'MongoDB and Redis',
    notes: [
      ...notes,
      ...shared,
      'slices by the cgroup cpu controller, 20 ms periods; sends go to every node, whoever owns the channel, or by key: each channel has a key, and HAProxy brings each key to one node',
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
    'sends of 4 by key to 1': ratioOf(rounds, '4 by key', '1 node', perSecond),
    'CPU per send, 4 by key to 1': ratioOf(rounds, '4 by key', '1 node', cpuOf),
    'CPU per send, 4 by key to 4 apart': ratioOf(rounds, '4 by key', '4 apart', cpuOf),
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
  await wait(settleMs);
  const before = cpuMsOfAll(nodes.map(({ pid }) => pid));
  await wait(idleMs);
  const ms = cpuMsOfAll(nodes.map(({ pid }) => pid)) - before;
  return `a node that does nothing takes ${((ms * 1_000) / idleMs / nodes.length).toFixed(1)} ms of CPU a second`;
}

interface AtOnce {
  name: string;
  loads: readonly Load[];
  beside: readonly number[];
}

function contenderOf(
  load: AtOnce,
  { seconds, roles, hops }: { seconds: number; roles: Roles; hops: Hops },
): Contender {
  const during = async (bounds: Bounds): Promise<Carried> => {
    const carried = await carryAll(load, bounds);
    hops.sent(carried.units);
    return carried;
  };
  const units = 200_000;
  return {
    name: load.name,
    pids: [...new Set(load.loads.flatMap(({ pids }) => pids))],
    beside: load.beside,
    prepare: async () => void (await during({ seconds: reviveSeconds, units })),
    carry: () => roles.during(() => during({ seconds, units })),
  };
}

/** All loads at the same time; `units` is their sum. */
async function carryAll({ loads }: AtOnce, { seconds, units }: Bounds): Promise<Carried> {
  const each = loads.map((load) =>
    sendLoad(load, { seconds, units: Math.ceil(units / loads.length), connections: load.connections }),
  );
  return together(await Promise.all(each));
}

/** The share of sends that went over a link. */
class Hops {
  readonly #nodes: readonly Node[];
  #forwarded = 0;
  #sends = 0;

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
  }

  async begin(): Promise<void> {
    this.#forwarded = await forwardedBy(this.#nodes);
  }

  sent(count: number): void {
    this.#sends += count;
  }

  async told(): Promise<string> {
    const forwarded = (await forwardedBy(this.#nodes)) - this.#forwarded;
    return `${((100 * forwarded) / Math.max(1, this.#sends)).toFixed(1)} % of sends over a link`;
  }
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
