/** Bench 7: the owner dies or freezes under load, seen from the clients; and the takeover of thousands of channels. */
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { Arrivals } from '../load/arrivals.ts';
import { maxOthersCores, watchOthers } from '../measure/others.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { cloneInto, ownerOf, startCluster } from '../world/cluster.ts';
import type { Cluster, Node } from '../world/cluster.ts';
import { admin, setUpstreamDelay, takeTags } from '../world/testbed.ts';
import { startServers } from '../world/servers.ts';
import type { Servers } from '../world/servers.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';

const leaseMs = 4_000;
const settleMs = 60_000;
/** A send that was accepted and got no answer from upstream is sent once more; here soon, so that the account can be closed. */
const env = { LEASE_TTL_MS: String(leaseMs), SEND_RESEND_AFTER_MS: '2000' };

interface Struck {
  gapMs: number;
  accepted: number;
  lost: number;
  open: number;
}

export async function benchFailOver(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const servers = await startServers(testbed);
  const watch = watchOthers(() => testbed.programs.pids());
  const killed: Struck[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    killed.push(await strike(bench, servers, `killed${round}`, (owner) => testbed.programs.kill(owner.pid)));
    tell(`  kill -9, ${round}: ${killed.at(-1)?.gapMs.toFixed(0)} ms without a success`);
  }
  const frozen = await strike(bench, servers, 'frozen', async ({ pid }) => testbed.programs.freeze(pid));
  tell(`  SIGSTOP: ${frozen.gapMs.toFixed(0)} ms without a success`);
  const taken = await takeOver(bench, servers);
  const isValid = watch().cores <= maxOthersCores;
  await Promise.all(servers.servers.map((program) => program.stop()));
  const all = [...killed, frozen];
  const sum = (pick: (one: Struck) => number): number => all.reduce((ms, one) => ms + pick(one), 0);
  const about = {
    id: '7',
    title: 'the owner dies under load, three nodes',
    unit: 'round',
    store: 'MongoDB and Redis',
    notes: [
      `${sum(({ accepted }) => accepted)} sends were accepted in all rounds; lease ${leaseMs} ms; one send every 10 ms over the other nodes`,
      `one of three nodes with ${options.owned} live channels is killed: its ${taken.channels} have an owner again ${(taken.ms / 1_000).toFixed(1)} s later`,
      'without a success: from the fault to the first success after it, of sends that arrive whatever became of those before',
    ],
  };
  const gaps = spreadOf(killed.map(({ gapMs }) => gapMs));
  const how = { rounds: all.length, invalidRounds: isValid ? 0 : all.length };
  return plainResult(bench, about, how, {
    'kill -9: time without a success, median ms': gaps,
    'kill -9: time without a success, longest ms': spreadOf([gaps.max]),
    'SIGSTOP: time without a success over the lease, ms': spreadOf([frozen.gapMs - leaseMs]),
    'accepted sends lost': spreadOf([sum(({ lost }) => lost)]),
    'sends not over a minute later': spreadOf([sum(({ open }) => open)]),
    'takeover of 1,000 channels, ms': spreadOf([(taken.ms * 1_000) / taken.channels]),
  });
}

async function strike(
  { testbed }: Bench,
  servers: Servers,
  name: string,
  fault: (owner: Node) => Promise<void>,
): Promise<Struck> {
  const cluster = await startCluster(testbed, servers, { name, nodes: 3, env });
  const { nodes, channel } = cluster;
  const owner = await ownerOf(nodes, anyOf(nodes), channel.id);
  const others = nodes.filter((node) => node !== owner);
  await takeTags(testbed, [channel.phone]);
  const load = new Arrivals(
    others.map(({ url }) => url),
    channel,
  );
  await until('the load to flow', () => load.successes.length >= 50, 20_000);
  const struckAt = performance.now();
  await fault(owner);
  await until('a success after the fault', () => load.successes.some((at) => at > struckAt + 20), 60_000);
  await wait(1_000);
  await load.stop();
  testbed.programs.thaw(owner.pid);
  const open = await openAfter(anyOf(others), channel.id);
  await cluster.stop();
  const calls = new Set((await takeTags(testbed, [channel.phone])).map(({ tag }) => tag));
  const lost = load.accepted.filter((id) => !calls.has(id)).length;
  return { gapMs: load.longestGapSince(struckAt), accepted: load.accepted.length, lost, open };
}

/** The channel's open sends, after a minute at the latest; 0: all accepted sends have ended. */
async function openAfter(asked: Node, channelId: string): Promise<number> {
  const end = performance.now() + settleMs;
  for (;;) {
    const { status, body } = await admin(asked.url, 'GET', `/channels/${channelId}`);
    const open: number = status === 200 ? body.sends_open : NaN;
    if (open === 0 || performance.now() > end) return open;
    await wait(200);
  }
}

interface TakenOver {
  channels: number;
  /** From the kill until the last channel has an owner again. */
  ms: number;
}

async function takeOver({ testbed, options, tell }: Bench, servers: Servers): Promise<TakenOver> {
  const cluster = await startCluster(testbed, servers, { name: 'many', nodes: 3, env });
  const clones = await cloneInto(cluster, options.owned);
  const [dying, ...others] = cluster.nodes;
  const [asked] = others;
  if (dying === undefined || asked === undefined) throw new Error('three nodes are needed');
  await activate(
    asked,
    clones.map(({ id }) => id),
  );
  const channels = await ownedBy(asked, [dying]);
  const all = await ownedBy(asked, cluster.nodes);
  await testbed.programs.kill(dying.pid);
  const diedAt = performance.now();
  const seconds = 60 + options.owned / 500;
  await until('all to be taken over', async () => (await ownedBy(asked, others)) >= all, seconds * 1_000);
  const ms = performance.now() - diedAt;
  tell(`  takeover of ${channels} channels: ${ms.toFixed(0)} ms`);
  await cluster.stop();
  return { channels, ms };
}

/** Reading a channel makes it live on the node that placement chooses. */
async function activate(asked: Node, ids: readonly string[]): Promise<void> {
  const left = [...ids];
  const worker = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status, text } = await admin(asked.url, 'GET', `/channels/${id}`);
      if (status !== 200) throw new Error(`a channel is not live: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

async function ownedBy(asked: Node, owners: readonly Node[]): Promise<number> {
  const { body } = await admin(asked.url, 'GET', '/nodes');
  const nodes: { node_id: string; channels_owned: number }[] = body.nodes;
  const ids = new Set(owners.map(({ id }) => id));
  return nodes.reduce((sum, node) => sum + (ids.has(node.node_id) ? node.channels_owned : 0), 0);
}

function anyOf(nodes: Cluster['nodes']): Node {
  const [first] = nodes;
  if (first === undefined) throw new Error('there are no nodes');
  return first;
}
