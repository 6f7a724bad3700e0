/**
 * Second half of bench 3b: texts of one channel while twenty files of other channels are being transferred, by the same service or by a
 * second one, which has only this machine in common with it.
 */
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
export const [alone, besides, apart] = ['texts alone', 'texts beside files', 'beside files of another'];
/** A pause of the machine of 40 ms decides the p99 of a short load: the median needs more rounds than that of other figures. */
const roundsFor = ({ rounds, maxRounds }: Bench['options']) => ({
  rounds: 2 * rounds + 1,
  maxRounds: 2 * maxRounds,
});

export interface FilesBenchSetup {
  dataDir: string;
  /** A copy of it, for the second service. */
  copyDir: string;
  /** Receives the events of files. */
  receiver: Receiver;
  /** The channel of the texts. */
  text: BenchChannel;
  files: readonly BenchChannel[];
}

export async function besideFiles(bench: Bench, place: FilesBenchSetup): Promise<Round[]> {
  const { testbed, options } = bench;
  const program = await startService(testbed, { dataDir: place.dataDir });
  const second = await startService(testbed, { name: 'second service', dataDir: place.copyDir });
  const texts = (seconds: number): Promise<Carried> =>
    carryEvents({
      url: `${program.url}/upstream/webhooks`,
      receiver: testbed.receiver,
      phones: [place.text.phone],
      seconds,
      most: 100_000,
      pacing: { perSecond: textsPerSecond },
    });
  const [own, others] = [program, second].map(({ url }) => new Stream(place, `${url}/upstream/webhooks`));
  if (own === undefined || others === undefined) throw new Error('there are no files');
  await texts(2);
  const by = (name: string, prepare: () => Promise<void>): Contender => ({
    name,
    pids: [program.pid],
    beside: [],
    prepare,
    carry: () => texts(Math.max(4, options.seconds)),
  });
  const only = async (stream: Stream | null): Promise<void> => {
    await Promise.all([own, others].filter((each) => each !== stream).map((each) => each.stop()));
    await stream?.start();
  };
  const rounds = await measureRounds({ ...bench, options: { ...options, ...roundsFor(options) } }, [
    by(alone, () => only(null)),
    by(besides, () => only(own)),
    by(apart, () => only(others)),
  ]);
  await only(null);
  await Promise.all([program.stop(), second.stop()]);
  return rounds;
}

/** Keeps twenty files in transfer. */
class Stream {
  readonly #place: FilesBenchSetup;
  readonly #hook: string;
  #isOn = false;
  #all: Promise<unknown> = Promise.resolve();

  constructor(place: FilesBenchSetup, hook: string) {
    this.#place = place;
    this.#hook = hook;
  }

  async start(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    const { files, receiver } = this.#place;
    const moving = new Files(this.#hook, receiver);
    const lines = Array.from({ length: filesAtOnce }, async (_, n) => {
      // Staggered: files that start together also end together, and the bench would measure those bursts.
      await wait((n / filesAtOnce) * moveMs);
      await this.#keepMoving(moving, files[n % files.length]?.phone ?? '');
    });
    this.#all = Promise.all(lines);
    await wait(2 * moveMs);
  }

  /** Resolves when all transfers have ended. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#all;
  }

  async #keepMoving(moving: Files, phone: string): Promise<void> {
    while (this.#isOn) await moving.move(phone, { megabytes, perSecond: mbPerSecond });
  }
}
