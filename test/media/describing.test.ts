/** [faults: 101] Whatever happens to the describing thread, each file gets an answer, and the next one is described. */
import { expect, test } from '@jest/globals';
import { DescribingThread } from '../../src/media/describing-thread.ts';
import type { Question } from '../../src/media/describing-thread.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { closeAfterEach } from '../support/closing.ts';
import { manyGenres } from '../support/crafted-files.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { wav } from './upstream-files.ts';

const closeLater = closeAfterEach();

/** `module`: plain JavaScript that replaces the thread's own code. */
function thread(module?: string, clock: Clock = systemClock): DescribingThread {
  const url =
    module === undefined ? undefined : new URL(`data:text/javascript,${encodeURIComponent(module)}`);
  const made = new DescribingThread(clock, silentLog, url);
  closeLater(() => made.close());
  return made;
}

const ask = (beginning: Uint8Array): Question => ({
  type: 'audio',
  beginning,
  size: beginning.length,
  said: [null, 'audio/mpeg; x=1'],
});
const asSaid = { mimeType: 'audio/mpeg; x=1', durationMs: null };
const good = { mimeType: 'audio/wav', durationMs: 1_000 };

/** Describes files, except that one that starts with a zero ends the thread. */
const until0 = (end: string): string => `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ beginning }) => {
  if (beginning[0] !== 0) parentPort.postMessage({ type: 'answer', description: ${JSON.stringify(good)} });
  else { ${end} }
});
parentPort.postMessage({ type: 'ready' });`;

test('files that take for ever, between others that are described', async () => {
  const describer = thread();
  const files = [wav(), manyGenres(), wav(), manyGenres(), wav()];
  const all = await Promise.all(files.map((file) => describer.describe(ask(file))));
  expect(all).toEqual([good, asSaid, good, asSaid, good]);
});

test.each([
  ['throws', 'throw new Error("x")'],
  ['ends', 'process.exit(1)'],
  ['never ends', 'for (;;);'],
  ['never answers', ''],
  // Not by `new Array(1_000)`: V8 of Node 24 and 26 never ends a loop that makes those.
  ['fills its memory', 'for (const all = [];;) all.push({ at: all.length, text: String(all.length) });'],
])("a thread that %s: the file has upstream's description, the next one is described", async (_, end) => {
  const describer = thread(until0(end));
  const all = [Uint8Array.of(1), Uint8Array.of(0), Uint8Array.of(1)].map((file) =>
    describer.describe(ask(file)),
  );
  expect(await Promise.all(all)).toEqual([good, asSaid, good]);
});

test("a thread that cannot start: all queued files have upstream's description", async () => {
  const describer = thread('throw new Error("no")');
  const all = await Promise.all([1, 2, 3].map(() => describer.describe(ask(wav()))));
  expect(all).toEqual([asSaid, asSaid, asSaid]);
});

test('a thread that is never ready: a file waits ten seconds', async () => {
  const clock = new FakeClock();
  const described = thread('setInterval(() => {}, 1_000)', clock).describe(ask(wav()));
  clock.advance(10_000);
  expect(await described).toEqual(asSaid);
});

test('after close: waiting files and new ones get an answer', async () => {
  const describer = thread();
  const waiting = [describer.describe(ask(manyGenres())), describer.describe(ask(wav()))];
  await describer.close();
  expect(await Promise.all([...waiting, describer.describe(ask(wav()))])).toEqual([asSaid, asSaid, asSaid]);
});
