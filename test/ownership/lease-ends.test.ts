/** When a lease is lost, and what a stopped one leaves behind: with a clock that the test moves and a scripted Redis. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { NodeLease } from '../../src/ownership/lease.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { LeaseOnClock, key, none, sure, timedOut, ttlMs, unsure } from './support/lease-on-clock.ts';
import type { LeaseRedis } from './support/lease-redis.ts';

let on: LeaseOnClock;
let clock: FakeClock;
let redis: LeaseRedis;
let lease: NodeLease;
let heard: string[];
let told: LeaseOnClock['told'];

beforeEach(() => {
  on = new LeaseOnClock();
  ({ clock, redis, lease, heard, told } = on);
});

describe('a lease that is refused', () => {
  test.each<[string, () => void]>([
    ['deleted', () => redis.set(key, null)],
    ["another's", () => redis.set(key, 'somebody else')],
  ])('because it is %s is lost with the next renewal, and a new term begins', async (_words, happen) => {
    await lease.start();
    const isOfTerm = lease.term();
    happen();
    await on.pass(399);
    expect([on.state(), isOfTerm()]).toEqual([sure, true]);
    await on.pass(1);
    expect([heard, lease.losses]).toEqual([['taken', 'lost', 'taken'], 1]);
    expect([on.state(), isOfTerm(), lease.term()()]).toEqual([sure, false, true]);
    expect(redis.leftOf(key)).toBe(ttlMs);
  });

  test('because its key has another type is lost', async () => {
    await lease.start();
    redis.mood = new Error('WRONGTYPE Operation against a key holding the wrong kind of value');
    await on.pass(400);
    expect([heard, on.state()]).toEqual([['taken', 'lost'], none]);
    redis.mood = 'answers';
    await on.pass(100);
    expect([heard, on.state()]).toEqual([['taken', 'lost', 'taken'], sure]);
  });
});

describe('a node whose timers are blocked', () => {
  /** Not sure any more at 1,200 ms, when the timers last ran. */
  async function unsureAt1200(): Promise<void> {
    await lease.start();
    redis.mood = 'held';
    await on.pass(1_200);
  }

  test.each([
    [799, unsure],
    [800, none],
  ])('for %i ms of a lease of 1,600, without an answer: %j', async (ms, expected) => {
    await unsureAt1200();
    on.stoodMs = ms;
    expect(on.state()).toEqual(expected);
  });

  test('for half of the lease loses the term before anything else happens', async () => {
    await unsureAt1200();
    const isOfTerm = lease.term();
    on.stoodMs = 800;
    expect(isOfTerm()).toBe(false);
    const from = on.ticks;
    await on.pass(200);
    expect([heard, lease.losses, isOfTerm(), on.ticks - from]).toEqual([['taken', 'lost'], 1, false, 0]);
    redis.letGo();
    await on.pass(400);
    expect([heard, on.state(), isOfTerm()]).toEqual([['taken', 'lost', 'taken'], sure, false]);
  });

  test.each([
    [799, sure],
    [800, none],
  ])('since 400 ms, for %i more: a lease that was sure until 1,200 is %j', async (ms, expected) => {
    await lease.start();
    redis.mood = 'held';
    await on.pass(400);
    on.stoodMs = ms;
    expect(on.state()).toEqual(expected);
  });

  test('until its lease is no longer sure loses the term', async () => {
    await lease.start();
    redis.mood = 'held';
    await on.pass(400);
    on.stoodMs = 600;
    await on.pass(200);
    expect([heard, lease.losses]).toEqual([['taken', 'lost'], 1]);
  });

  test('for less than that keeps the lease', async () => {
    await unsureAt1200();
    on.stoodMs = 599;
    await on.pass(200);
    expect([heard, on.state()]).toEqual([['taken'], unsure]);
  });

  test('but has an answer that is still valid loses nothing', async () => {
    await lease.start();
    on.stoodMs = 900;
    expect(on.state()).toEqual(sure);
    await on.pass(200);
    expect([heard, on.state()]).toEqual([['taken'], sure]);
  });
});

describe('a lease that is stopped', () => {
  test('is released at once and not renewed any more', async () => {
    await lease.start();
    await lease.stop();
    expect([on.state(), redis.leftOf(key), clock.pending]).toEqual([none, null, 0]);
    await on.pass(ttlMs);
    redis.client.emit('close');
    expect([redis.heard, heard, lease.outages]).toEqual([['lock', 'unlock'], ['taken'], 0]);
  });

  test('during a renewal waits for its end, and holds nothing', async () => {
    await lease.start();
    redis.mood = 'held';
    await on.pass(400);
    const stopping = lease.stop();
    redis.letGo();
    await stopping;
    expect([redis.heard, on.state(), lease.renewals]).toEqual([['lock', 'extend', 'unlock'], none, 1]);
    expect(clock.pending).toBe(0);
  });

  test('while it is refused reports no loss and acquires nothing', async () => {
    await lease.start();
    redis.set(key, 'somebody else');
    redis.mood = 'held';
    await on.pass(400);
    const stopping = lease.stop();
    redis.letGo();
    await stopping;
    expect([redis.heard, heard]).toEqual([['lock', 'extend'], ['taken']]);
  });

  test('that never was held sends no command', async () => {
    redis.mood = timedOut;
    await lease.start();
    redis.mood = 'answers';
    told.length = 0;
    await lease.stop();
    expect([redis.heard, told]).toEqual([[], []]);
  });

  test('that cannot be released logs that', async () => {
    await lease.start();
    redis.mood = timedOut;
    await lease.stop();
    expect(told).toMatchObject([
      { level: 'warn', msg: 'lease.not-let-go', error: { message: expect.stringContaining(key) } },
    ]);
  });

  test('by its own listener while its timers run checks nothing any more', async () => {
    on.stopsWithTick = true;
    await lease.start();
    await on.pass(ttlMs);
    expect([on.ticks, clock.pending, redis.heard]).toEqual([1, 0, ['lock', 'unlock']]);
  });
});
