/** Bench 2: a send through a node that does not own the channel; CPU of both nodes; and what the hop costs beside a bare one. */
import { cpuOf, differenceOf, p50Of, ratioOf } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { ownerOf, startCluster } from '../world/cluster.ts';
import type { Cluster, Node } from '../world/cluster.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import { startServers } from '../world/servers.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { contender, doorsOf, pacedSends, sendLoad } from './targets.ts';
import type { Server } from './targets.ts';

const maxSends = 100_000;
/** Pace at which processes sleep between two sends: each hop then costs several times what it costs under load. */
const sparsePerSecond = 100;
const sparseSeconds = 8;

/** Otherwise the channel would follow its sends, and the hop be gone. */
const stays = { CHANNELS_FOLLOW_SENDS: '0' };

export async function benchNonOwner(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const servers = await startServers(testbed);
  const cluster = await startCluster(testbed, servers, { name: 'two', nodes: 2, env: stays });
  const [asked] = cluster.nodes;
  if (asked === undefined) throw new Error('there are no nodes');
  const owner = await ownerOf(cluster.nodes, asked, cluster.channel.id);
  const other = cluster.nodes.find((node) => node !== owner) ?? asked;
  const both = [over(cluster, owner, 'owner'), over(cluster, other, 'other')];
  tell('  warming up');
  for (const server of both) await sendLoad(server, options.warmUp);
  const bounds = { seconds: options.seconds, units: maxSends };
  const rounds = await measureRounds(
    bench,
    both.map((server) => contender(server, () => sendLoad(server, bounds))),
  );
  tell('  one send at a time');
  const withBare = [...both, ...(await startBareHop(testbed))];
  const single = await measureRounds(
    bench,
    withBare.map((server) => contender(server, () => sendLoad(server, { ...bounds, connections: 1 }))),
  );
  const capacity = Math.min(...rounds.map(({ samples }) => samples['other']?.perSecond ?? 0));
  const half = Math.max(1, Math.floor(capacity / 2));
  tell(`  and at ${half}/s, half of capacity`);
  const paced = await measureRounds(
    bench,
    both.map((server) => contender(server, () => pacedSends(server, half, options.seconds))),
  );
  tell(`  and at ${sparsePerSecond}/s`);
  const sparse = await measureRounds(
    bench,
    withBare.map((server) => contender(server, () => pacedSends(server, sparsePerSecond, sparseSeconds))),
  );
  await cluster.stop();
  await Promise.all(servers.servers.map((program) => program.stop()));
  const about = {
    id: '2',
    title: 'send through a node that does not own the channel',
    unit: 'send',
    store: 'MongoDB and Redis',
    notes: [
      `latency at half of capacity: open loop at ${half}/s, in which both nodes, Redis, MongoDB, upstream and the load share this machine's cores`,
    ],
  };
  return resultOf(bench, about, rounds, {
    'CPU of both nodes to the owner alone': ratioOf(rounds, 'other', 'owner', cpuOf),
    'CPU of a hop, one send at a time, µs': differenceOf(single, 'other', 'owner', cpuOf),
    'CPU of a bare hop, one at a time, µs': differenceOf(single, 'hop', 'echo', cpuOf),
    [`CPU of a hop at ${sparsePerSecond}/s, µs`]: differenceOf(sparse, 'other', 'owner', cpuOf),
    [`CPU of a bare hop at ${sparsePerSecond}/s, µs`]: differenceOf(sparse, 'hop', 'echo', cpuOf),
    'p50 over the owner, one send at a time, ms': differenceOf(single, 'other', 'owner', p50Of),
    'p50 of a bare hop, one at a time, ms': differenceOf(single, 'hop', 'echo', p50Of),
    'p50 over the owner at half of capacity, ms': differenceOf(paced, 'other', 'owner', p50Of),
    'p99 over the owner at half of capacity, ms': differenceOf(paced, 'other', 'owner', ({ p99Ms }) => p99Ms),
  });
}

/** `echo`, and an echo through a second process: their difference is a bare hop. */
async function startBareHop({ programs }: Testbed): Promise<Server[]> {
  const file = 'dist/bench/baseline/hop.js';
  const far = await programs.node('far end of the hop', file, {});
  const near = await programs.node('hop', file, { HOP_TO: new URL(far.url).port });
  const echo = await programs.node('echo', 'dist/bench/baseline/echo.js', {});
  const server = (name: string, url: string, pids: readonly number[]): Server => ({
    name,
    pids,
    beside: [],
    sends: { url, headers: {}, channels: [{ id: 'none', phone: '', key: '' }] },
    hook: { url: '', phones: [] },
  });
  return [server('hop', near.url, [near.pid, far.pid]), server('echo', echo.url, [echo.pid])];
}

/** All sends go to one node; the CPU of all nodes counts. */
function over(cluster: Cluster, node: Node, name: string): Server {
  const { channel, nodes, beside } = cluster;
  return {
    name,
    pids: nodes.map(({ pid }) => pid),
    beside,
    ...doorsOf(node, [channel], [channel]),
  };
}
