/** Files of people: parsed by a thread that may be killed, never by the event loop. [faults: 101] */
import { DescribingThread } from '../../../src/media/describing-thread.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log.ts';
import { samples } from '../../hostile/file-samples.ts';
import type { Target } from '../target.ts';

const types = ['image', 'audio', 'video', 'document'] as const;

export async function openFiles(): Promise<Target> {
  let refused = '';
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: ({ why }, event) => void (refused = `${event} ${JSON.stringify(why)}`),
    error: ({ error }, event) => {
      throw new Error(`${event}: ${String(error)}`);
    },
    child: () => log,
  };
  const thread = new DescribingThread(systemClock, log);
  const named = Object.entries(samples);
  // The first byte chooses the type with which the file is sent.
  const seeds = named.flatMap(([, bytes], n) => [Buffer.concat([Buffer.from([n % types.length]), bytes])]);
  return {
    seeds,
    maxBytes: 262_144,
    async run(input) {
      refused = '';
      const [first = 0] = input;
      const beginning = input.subarray(1);
      const said = named[first % named.length]?.[0] ?? null;
      const { mimeType, durationMs } = await thread.describe({
        type: types[first % types.length] ?? 'image',
        beginning: Uint8Array.from(beginning),
        size: beginning.length,
        said: [first > 127 ? said : null],
      });
      if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;.*)?$/.test(mimeType)) throw new Error(`no type: ${mimeType}`);
      const isDuration = durationMs === null || (Number.isSafeInteger(durationMs) && durationMs > 0);
      if (!isDuration) throw new Error(`no duration: ${durationMs}`);
      return `${mimeType} ${durationMs !== null} ${refused}`;
    },
    close: () => thread.close(),
  };
}
