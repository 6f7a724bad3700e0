/** [faults: 556] A store that is away fails every channel at every try. */
import { expect, test } from '@jest/globals';
import { storeFailures } from '../../actors/channel/performing/store-failures.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import type { Log } from '../../src/kernel/log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { silentLog } from '../support/silent-log.ts';

function opened() {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: ({ channel, times = 'each' }, event) =>
      void lines.push(`${event} ${String(channel)} ${String(times)}`),
  };
  const tell = storeFailures({ clock, log });
  const fails = (why: unknown, count: number): void => {
    for (let n = 1; n <= count; n += 1) tell('store.retrying', why, { channel: `channel-${n}` });
  };
  return { clock, lines, fails };
}

test('thousands of tries of many channels are a line a minute for each reason, with one channel and their number', async () => {
  const { clock, lines, fails } = opened();
  fails(new StoreUnavailable('no primary'), 2_000);
  fails(new StoreUnavailable('7 writes are waiting'), 1);
  fails(new StoreUnavailable('8 writes are waiting'), 1);
  await clock.pass(60_000);
  fails(new StoreUnavailable('no primary'), 1);
  const first = 'store.retrying channel-1';
  expect(lines).toEqual([`${first} 1`, `${first} 1`, `${first} 2000`]);
});

test('another failure is of its channel, and a line each time', () => {
  const { lines, fails } = opened();
  fails(new TypeError('not a function'), 2);
  expect(lines).toEqual(['store.retrying channel-1 each', 'store.retrying channel-2 each']);
});
