/** Second half of bench 3b: texts of one channel while twenty files of other channels are being transferred. */
import { setTimeout as wait } from 'node:timers/promises';
import { carryEvents } from '../load/events.ts';
import { Files } from '../load/files.ts';
import type { Receiver } from '../load/receiver.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import type { BenchChannel } from '../world/channels.ts';
import { startService } from '../world/testbed.ts';
import { measureRounds } from './bench.ts';
import type { Bench } from './bench.ts';

export const filesAtOnce = 20;
/** Typical of a person's connection and upstream's hosts; 40 MB/s together. */
export const mbPerSecond = 2;
const megabytes = 3;
export const textsPerSecond = 200;
const moveMs = (megabytes / mbPerSecond) * 1_000;
export const [alone, besides] = ['texts alone', 'texts beside files'];

export interface FilesBenchSetup {
  dataDir: string;
  /** Receives the events of files. */
  receiver: Receiver;
  /** The channel of the texts. */
  text: BenchChannel;
  files: readonly BenchChannel[];
}

export async function besideFiles(bench: Bench, place: FilesBenchSetup): Promise<Round[]> {
  const { testbed, options } = bench;
  const program = await startService(testbed, { dataDir: place.dataDir });
  const texts = (seconds: number): Promise<Carried> =>
    carryEvents({
      url: `${program.url}/upstream/webhooks`,
      receiver: testbed.receiver,
      phones: [place.text.phone],
      seconds,
      most: 100_000,
      pacing: { perSecond: textsPerSecond },
    });
  const stream = new Stream(place, `${program.url}/upstream/webhooks`);
  await texts(2);
  const by = (name: string, prepare: () => Promise<void>): Contender => ({
    name,
    pids: [program.pid],
    beside: [],
    prepare,
    carry: () => texts(Math.max(4, options.seconds)),
  });
  const rounds = await measureRounds(bench, [
    by(alone, () => stream.stop()),
    by(besides, () => stream.start()),
  ]);
  await stream.stop();
  await program.stop();
  return rounds;
}

/** Keeps twenty files in transfer. */
class Stream {
  readonly #place: FilesBenchSetup;
  readonly #files: Files;
  #isOn = false;
  #all: Promise<unknown> = Promise.resolve();

  constructor(place: FilesBenchSetup, hook: string) {
    this.#place = place;
    this.#files = new Files(hook, place.receiver);
  }

  async start(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    const { files } = this.#place;
    const lines = Array.from({ length: filesAtOnce }, async (_, n) => {
      // Staggered: files that start together also end together, and the bench would measure those bursts.
      await wait((n / filesAtOnce) * moveMs);
      await this.#keepMoving(files[n % files.length]?.phone ?? '');
    });
    this.#all = Promise.all(lines);
    await wait(2 * moveMs);
  }

  /** Resolves when all transfers have ended. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#all;
  }

  async #keepMoving(phone: string): Promise<void> {
    while (this.#isOn) await this.#files.move(phone, { megabytes, perSecond: mbPerSecond });
  }
}
