/** [faults: 102] The end of a channel's activation aborts the fetches that it began and that still run, and no others. */
import { beforeEach, expect, test } from '@jest/globals';
import { FetchesUnderWay } from '../../actors/channel/performing/under-way.ts';
import { gate } from './support/toy-actor.ts';

let fetches: FetchesUnderWay;

beforeEach(() => {
  fetches = new FetchesUnderWay();
});

/** A fetch that runs until `finish`. */
function begin(channelId: string): { left: AbortSignal; finish: () => Promise<void> } {
  const { promise, open } = gate();
  let left = new AbortController().signal;
  const ended = fetches.run(channelId, (signal) => {
    left = signal;
    return promise;
  });
  const finish = (): Promise<void> => {
    open();
    return ended;
  };
  return { left, finish };
}

test('a fetch that has ended is not aborted, and its end leaves the others of its channel to be aborted', async () => {
  const [first, second] = [begin('one'), begin('one')];
  const elsewhere = begin('two');
  await first.finish();
  fetches.end('one');
  expect([first, second, elsewhere].map(({ left }) => left.aborted)).toEqual([false, true, false]);
});

test('an aborted fetch that ends late leaves those of the next activation to be aborted', async () => {
  const late = begin('one');
  fetches.end('one');
  const next = begin('one');
  await late.finish();
  fetches.end('one');
  expect(next.left.aborted).toBe(true);
});
