/** How long connections to a receiver are reused, and when they end. [faults: 59] */
import { beforeEach, expect, test } from '@jest/globals';
import { OriginPools } from '../../src/delivery/origin-pools.ts';
import { FakeClock } from '../support/fake-clock.ts';

let clock: FakeClock;
let origins: OriginPools;
/** The actions on connections, in order. */
let done: string[];
/** Ends the requests on a retired connection pool. */
let endAll: (() => void)[];

beforeEach(() => {
  [clock, done, endAll] = [new FakeClock(), [], []];
  let opened = 0;
  origins = new OriginPools((origin) => {
    const name = `${origin} ${(opened += 1)}`;
    done.push(`open ${name}`);
    return {
      dispatch: () => true,
      close: () => {
        done.push(`close ${name}`);
        return new Promise<void>((resolve) => endAll.push(resolve));
      },
      destroy: async () => void done.push(`destroy ${name}`),
    };
  }, clock);
});

test('an origin has the same connections for less than a minute, then others; the old ones finish their requests', () => {
  const first = origins.pool('one');
  clock.advance(59_999);
  expect(origins.pool('one')).toBe(first);
  clock.advance(1);
  const second = origins.pool('one');
  expect([second === first, done, origins.size]).toEqual([
    false,
    ['open one 1', 'open one 2', 'close one 1'],
    1,
  ]);
  clock.advance(59_999);
  expect(origins.pool('one')).toBe(second);
});

test('each origin has its own connections', () => {
  expect(origins.pool('one')).not.toBe(origins.pool('two'));
  expect([done, origins.size]).toEqual([['open one 1', 'open two 2'], 2]);
});

test('close ends all, also retired ones that still have requests', async () => {
  origins.pool('one');
  clock.advance(60_000);
  origins.pool('one');
  done.length = 0;
  await origins.destroy();
  expect([done, origins.size]).toEqual([['close one 2', 'destroy one 1', 'destroy one 2'], 0]);
});

test('retired ones that have ended are not ended again', async () => {
  origins.pool('one');
  clock.advance(60_000);
  origins.pool('one');
  for (const end of endAll) end();
  await Promise.resolve();
  done.length = 0;
  await origins.destroy();
  expect(done).toEqual(['close one 2', 'destroy one 2']);
});
