/**
 * Bench 3b: files of inbound messages: the memory of a big one on its way in and out, each time in a process that has moved none before;
 * and the effect of twenty at once on the texts of another channel.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { carryEvents } from '../load/events.ts';
import { Files, download } from '../load/files.ts';
import { openReceiver } from '../load/receiver.ts';
import type { Receiver } from '../load/receiver.ts';
import { forgetPeak, peakMbOf, rssMbOf } from '../measure/proc.ts';
import { ratioOf, spreadOver } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { cloneChannels, connect, phones } from '../world/channels.ts';
import type { Program } from '../world/programs.ts';
import { startService } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import { plainResult, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import {
  alone,
  apart,
  besideFiles,
  besides,
  filesAtOnce,
  mbPerSecond,
  textsPerSecond,
} from './beside-files.ts';
import type { FilesBenchSetup } from './beside-files.ts';

const bigMb = 100;
/** A channel fetches at most four files at a time. */
const channelsWithFiles = 5;
/** Texts before the measurement, so that code compiled for them counts as memory of the process and not of the file. */
const textsBefore = 500;
const settleMs = 1_000;

interface Costs {
  firstMb: number;
  laterMb: number;
  outMb: number;
}

export async function benchFiles(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const receiver = await openReceiver();
  const place = await makePlace(testbed, receiver);
  const costs: Costs[] = [];
  while (costs.length < options.rounds) {
    costs.push(await costsOfOne(testbed, place));
    const { firstMb, laterMb, outMb } = costs.at(-1) ?? { firstMb: 0, laterMb: 0, outMb: 0 };
    tell(
      `  ${bigMb} MB, process ${costs.length}: first ${firstMb.toFixed(1)} MB more, later ${laterMb.toFixed(1)}, out ${outMb.toFixed(1)}`,
    );
  }
  const rounds = await besideFiles(bench, place);
  receiver.close();
  const about = {
    id: '3b',
    title: `a file of ${bigMb} MB in and out; ${filesAtOnce} files at once beside the texts of another channel`,
    unit: 'event',
    store: 'embedded (SQLite)',
    notes: [
      'memory: the most that was resident while the file moved, less what was resident before',
      `texts: ${textsPerSecond}/s to the client's receiver, open loop; the files come at ${mbPerSecond} MB/s each, new ones as others end`,
    ],
  };
  const over = (pick: (one: Costs) => number) => spreadOf(costs.map(pick));
  // The memory of a file does not depend on other processes' CPU.
  const memory = plainResult(
    bench,
    about,
    { rounds: costs.length, invalidRounds: 0 },
    {
      'first 100 MB file of a process, MB more': over(({ firstMb }) => firstMb),
      'a later one, MB more': over(({ laterMb }) => laterMb),
      'the same to a client, MB more': over(({ outMb }) => outMb),
    },
  );
  const texts = resultOf(bench, about, rounds, {
    'p99 of texts beside 20 files to alone': ratioOf(rounds, besides, alone, ({ p99Ms }) => p99Ms),
    'the same beside files of another service': ratioOf(rounds, apart, alone, ({ p99Ms }) => p99Ms),
    'p99 of texts alone, ms': spreadOver(rounds, alone, ({ p99Ms }) => p99Ms),
  });
  return { ...texts, figures: [...memory.figures, ...texts.figures] };
}

async function makePlace(testbed: Testbed, receiver: Receiver): Promise<FilesBenchSetup> {
  const dataDir = join(testbed.folder, 'files');
  const first = await startService(testbed, { dataDir });
  const wants = (url: string) => ({ url, events: ['message.received'] });
  const text = await connect(testbed, first, phones.inbound, wants(testbed.receiver.url));
  const like = await connect(testbed, first, phones.sender, wants(receiver.url));
  await first.stop();
  const files = await cloneChannels(dataDir, like, channelsWithFiles);
  const copyDir = join(testbed.folder, 'files-copy');
  await cp(dataDir, copyDir, { recursive: true });
  return { dataDir, copyDir, receiver, text, files };
}

async function costsOfOne(testbed: Testbed, place: FilesBenchSetup): Promise<Costs> {
  const [channel] = place.files;
  if (channel === undefined) throw new Error('there is no channel');
  const taking = await warmService(testbed, place);
  const moving = new Files(`${taking.url}/upstream/webhooks`, place.receiver);
  let path = '';
  const move = async (): Promise<void> => {
    const moved = await moving.move(channel.phone, { megabytes: bigMb, perSecond: 0 });
    if (moved.bytes !== bigMb * 1e6) throw new Error(`the event tells of ${moved.bytes} bytes`);
    path = new URL(moved.downloadUrl).pathname;
  };
  const firstMb = await memoryFor(taking, move);
  const laterMb = await memoryFor(taking, move);
  await taking.stop();
  const giving = await warmService(testbed, place);
  const outMb = await memoryFor(giving, async () => void (await download(giving.url + path, channel.key)));
  await giving.stop();
  return { firstMb, laterMb, outMb };
}

/** Starts a service that has delivered some texts and has moved no file. */
async function warmService(testbed: Testbed, { dataDir, text }: FilesBenchSetup): Promise<Program> {
  const program = await startService(testbed, { dataDir });
  const url = `${program.url}/upstream/webhooks`;
  const { receiver } = testbed;
  const bounds = { seconds: 10, most: textsBefore, pacing: { inFlight: 16 } };
  await carryEvents({ url, receiver, phones: [text.phone], ...bounds });
  return program;
}

async function memoryFor({ pid }: Program, act: () => Promise<void>): Promise<number> {
  await wait(settleMs);
  const before = rssMbOf(pid);
  forgetPeak(pid);
  await act();
  return peakMbOf(pid) - before;
}
