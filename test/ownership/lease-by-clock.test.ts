/** When a lease is renewed and trusted, to the millisecond: with a clock that the test moves and a scripted Redis. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { NodeLease } from '../../src/ownership/lease.ts';
import { LeaseOnClock, key, none, sure, timedOut, ttlMs, unsure } from './support/lease-on-clock.ts';
import type { LeaseRedis, Mood } from './support/lease-redis.ts';

let on: LeaseOnClock;
let redis: LeaseRedis;
let lease: NodeLease;
let heard: string[];
let told: LeaseOnClock['told'];

beforeEach(() => {
  on = new LeaseOnClock();
  ({ redis, lease, heard, told } = on);
});

describe('a lease that Redis answers', () => {
  test('is renewed every quarter of its duration', async () => {
    await lease.start();
    await on.pass(ttlMs / 4 - 1);
    expect([lease.renewals, redis.leftOf(key)]).toEqual([1, ttlMs - 399]);
    await on.pass(1);
    expect([lease.renewals, redis.leftOf(key)]).toEqual([2, ttlMs]);
    await on.pass(ttlMs);
    expect([lease.renewals, heard, lease.losses, lease.outages]).toEqual([6, ['taken'], 0, 0]);
  });

  test('is acquired without deleting the existing key, and checked eight times during its duration', async () => {
    await lease.start();
    expect(redis.heard).toEqual(['lock']);
    await on.pass(ttlMs / 8 - 1);
    expect(on.ticks).toBe(0);
    await on.pass(1);
    expect(on.ticks).toBe(1);
    await on.pass(ttlMs);
    expect([on.ticks, redis.heard]).toEqual([9, ['lock', 'extend', 'extend', 'extend', 'extend']]);
  });

  test('is not held before it is started, and nothing is checked', async () => {
    expect([on.state(), lease.term()(), lease.renewals]).toEqual([none, false, 0]);
    redis.mood = timedOut;
    await lease.start();
    await on.pass(ttlMs);
    expect([on.state(), on.ticks, heard]).toEqual([none, 0, []]);
  });
});

describe('an answer that does not come', () => {
  test('leaves the lease sure for three quarters of its duration since the last answered request', async () => {
    await lease.start();
    redis.mood = 'held';
    await on.pass(1_199);
    expect(on.state()).toEqual(sure);
    await on.pass(1);
    expect(on.state()).toEqual(unsure);
    await on.pass(10 * ttlMs);
    expect([on.state(), lease.losses]).toEqual([unsure, 0]);
  });

  test('and comes late counts from the time of its request', async () => {
    await lease.start();
    redis.mood = 'held';
    await on.pass(700);
    redis.letGo();
    await on.pass(0);
    redis.mood = 'held';
    await on.pass(400 + 1_200 - 700 - 1);
    expect(on.state()).toEqual(sure);
    await on.pass(1);
    expect(on.state()).toEqual(unsure);
  });

  test('and comes after its validity renews the lease, but makes nothing sure', async () => {
    await lease.start();
    redis.mood = 'held';
    await on.pass(400 + 1_200);
    redis.letGo();
    await on.pass(0);
    expect([lease.renewals, on.state(), heard]).toEqual([2, unsure, ['taken']]);
  });

  test('and comes so late that the next request finds the key expired is a loss: a new term begins [faults: 183]', async () => {
    await lease.start();
    const isOfTerm = lease.term();
    redis.mood = 'held';
    await on.pass(400 + 1_200);
    redis.letGo();
    await on.pass(400);
    expect([heard, on.state(), lease.losses]).toEqual([['taken', 'lost', 'taken'], sure, 1]);
    expect([isOfTerm(), lease.term()()]).toEqual([false, true]);
  });

  test('and comes too late after the first request gives no lease', async () => {
    redis.mood = 'held';
    const starting = lease.start();
    await on.pass(1_200);
    redis.letGo();
    await starting;
    expect([lease.renewals, on.state(), heard]).toEqual([1, none, []]);
    await on.pass(400);
    expect([on.state(), heard, lease.losses]).toEqual([sure, ['taken'], 0]);
  });

  test.each<[string, Mood]>([
    ['is lost on the way', 'lost'],
    ['is an error', new Error('OOM command not allowed')],
  ])('and %s: not sure at once, retried after a sixteenth, and held throughout', async (_words, mood) => {
    await lease.start();
    const isOfTerm = lease.term();
    redis.mood = mood;
    await on.pass(400);
    expect([on.state(), lease.outages]).toEqual([unsure, 1]);
    redis.mood = 'answers';
    await on.pass(99);
    expect(on.state()).toEqual(unsure);
    await on.pass(1);
    expect([on.state(), heard, lease.renewals]).toEqual([sure, ['taken', 'answered'], 2]);
    await on.pass(ttlMs);
    expect([heard, lease.outages, isOfTerm()]).toEqual([['taken', 'answered'], 1, true]);
  });

  test('for longer than the lease, with the key gone: the lease is acquired again in the same term', async () => {
    await lease.start();
    const isOfTerm = lease.term();
    redis.mood = timedOut;
    await on.pass(2 * ttlMs);
    expect([redis.leftOf(key), on.state()]).toEqual([null, unsure]);
    redis.mood = 'answers';
    redis.heard.length = 0;
    await on.pass(100);
    expect([on.state(), isOfTerm(), heard, lease.losses]).toEqual([sure, true, ['taken', 'answered'], 0]);
    expect([redis.heard, redis.leftOf(key)]).toEqual([['extend', 'del', 'lock'], ttlMs]);
  });

  test('at the start: what an unanswered lock has left is deleted before the next attempt', async () => {
    redis.mood = 'lost';
    await lease.start();
    expect([on.state(), heard, lease.outages]).toEqual([none, [], 1]);
    redis.mood = 'answers';
    await on.pass(100);
    expect([on.state(), heard]).toEqual([sure, ['taken']]);
    expect(redis.heard).toEqual(['lock', 'del', 'lock']);
  });

  test('is reported once until a renewal succeeds', async () => {
    await lease.start();
    for (let outage = 0; outage < 2; outage += 1) {
      redis.mood = timedOut;
      await on.pass(1_000);
      redis.mood = 'answers';
      await on.pass(500);
    }
    const warned = told.filter(({ level }) => level === 'warn');
    expect(warned.map(({ msg }) => msg)).toEqual(['lease.renewal-failed', 'lease.renewal-failed']);
    expect(new Set(told.map(({ error }) => error?.message))).toEqual(new Set([timedOut.message]));
    expect(lease.outages).toBe(2);
  });

  test('from the start is reported too', async () => {
    redis.mood = timedOut;
    await lease.start();
    await on.pass(ttlMs);
    const warned = told.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warned).toEqual(['lease.renewal-failed']);
  });

  test('because the connection is down is reported by the connection only', async () => {
    redis.client.status = 'reconnecting';
    redis.mood = timedOut;
    await lease.start();
    await on.pass(ttlMs);
    expect(new Set(told.map(({ level, msg }) => `${level} ${msg}`))).toEqual(
      new Set(['debug lease.renewal-failed']),
    );
    redis.client.status = 'ready';
    await on.pass(ttlMs);
    expect(told.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});

test('a closed connection makes the lease unsure before any command fails: one outage until Redis answers', async () => {
  await lease.start();
  redis.client.emit('close');
  redis.client.emit('close');
  expect([on.state(), lease.outages]).toEqual([unsure, 1]);
  await on.pass(400);
  expect([on.state(), heard]).toEqual([sure, ['taken', 'answered']]);
  redis.client.emit('close');
  expect(lease.outages).toBe(2);
});
