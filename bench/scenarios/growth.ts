/**
 * Bench 10: the same sends on a service with few channels and no past messages, and on one with a hundred times the channels and a million
 * messages.
 */
import { join } from 'node:path';
import { bytesWrittenBy } from '../measure/proc.ts';
import { cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import type { BenchChannel } from '../world/channels.ts';
import { dropCached } from '../world/page-cache.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { serviceWithPast } from './past.ts';
import type { WithPast } from './past.ts';
import { pacedSends, sendLoad } from './targets.ts';

const small = { channels: 1_000, messages: 0 };
const pacedPerSecond = 500;
/** A checkpoint delays about a hundredth of the sends: a load of four seconds has one or three of them, which alone decides its p99. */
const pacedLoads = 4;
const maxSends = 100_000;

interface Grown extends WithPast {
  /** Bytes written per send, one value per round. */
  bytes: number[];
}

export async function benchGrowth(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const [young, old] = [await grown(bench, 'young', small), await grown(bench, 'old', options.grown)];
  tell('  warming up');
  for (const { server } of [young, old]) await sendLoad(server, options.warmUp);
  const rounds = await measureRounds(
    bench,
    [young, old].map((one) => closed(one, options.seconds)),
  );
  const paced = await measureRounds(
    bench,
    [young, old].map(({ server }) => ({
      ...server,
      carry: () => pacedSends(server, pacedPerSecond, pacedLoads * options.seconds),
    })),
  );
  await Promise.all([young, old].map(({ program }) => program.stop()));
  const about = {
    id: '10',
    title: `growth: ${small.channels} → ${options.grown.channels} channels, ${small.messages} → ${options.grown.messages} past messages`,
    unit: 'send',
    store: 'embedded (SQLite)',
    notes: [`p99: open loop at ${pacedPerSecond}/s; bytes: what the kernel wrote for the process, per send`],
  };
  return resultOf(bench, about, rounds, {
    'CPU, grown to young': ratioOf(rounds, 'old', 'young', cpuOf),
    'p99, grown to young': ratioOf(paced, 'old', 'young', ({ p99Ms }) => p99Ms),
    'bytes written per send, grown to young': bytesRatio(rounds, old, young),
    'bytes written per send, young': spreadOf(young.bytes),
  });
}

async function grown(
  bench: Bench,
  name: string,
  size: { channels: number; messages: number },
): Promise<Grown> {
  const past = { ...size, hasEvents: false, until: Date.now() };
  const made = await serviceWithPast(bench, name, past);
  dropCached(join(made.dataDir, 'trunkline.db'));
  const { sends } = made.server;
  const server = { ...made.server, sends: { ...sends, channels: farApart(sends.channels) } };
  return { ...made, server, bytes: [] };
}

/** Each next channel is 81 of a thousand places away: neighbours in turn would share pages of the young store's indexes. */
function farApart(channels: readonly BenchChannel[]): BenchChannel[] {
  const step = 7_919; // a prime that divides no number of channels here
  return channels.flatMap((_, n) => channels[(n * step) % channels.length] ?? []);
}

function closed(one: Grown, seconds: number): Contender {
  const { server, program, bytes } = one;
  const carry = async (): Promise<Carried> => {
    const before = bytesWrittenBy(program.pid);
    const carried = await sendLoad(server, { seconds, units: maxSends });
    bytes.push((bytesWrittenBy(program.pid) - before) / carried.units);
    return carried;
  };
  return { name: server.name, pids: server.pids, beside: [], carry };
}

/** Bytes do not depend on other processes' CPU, so every round counts. */
function bytesRatio(rounds: readonly Round[], old: Grown, young: Grown) {
  const ratios = rounds.map((_, n) => (old.bytes[n] ?? NaN) / (young.bytes[n] ?? NaN));
  return spreadOf(ratios);
}
