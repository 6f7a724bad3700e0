import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { keys } from '../../src/ownership/keys.ts';
import { NodeLease } from '../../src/ownership/lease.ts';
import { openRedis } from '../../src/ownership/redis.ts';
import type { RedisConnections } from '../../src/ownership/redis.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { Outage } from '../../src/kernel/outage.ts';
import { Proxy } from '../support/proxy.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { PausableClock } from './support/pausable-clock.ts';

const ttlMs = 1_600;

describeWithRedis("a node's lease", () => {
  let server: RedisServer;
  let proxy: Proxy;
  let redis: RedisConnections;
  /** A direct connection to the server, without the proxy, as an operator uses it. */
  let operator: RedisConnections;
  let clock: PausableClock;
  let lease: NodeLease;
  let heard: string[];
  let ticks = 0;
  const incarnation = newId();
  const key = keys.lease(incarnation);

  beforeEach(async () => {
    heard = [];
    server = await RedisServer.start();
    proxy = await Proxy.start(server.port);
    redis = await openRedis(`redis://127.0.0.1:${proxy.port}`, new Outage('redis', 'of the test', silentLog));
    operator = await openRedis(server.url, new Outage('redis', 'of the test', silentLog));
    clock = new PausableClock();
    lease = new NodeLease({
      redis: redis.lease,
      incarnation,
      ttlMs,
      clock,
      log: silentLog,
      onLost: () => heard.push('lost'),
      onTaken: () => heard.push('taken'),
      onAnswered: () => heard.push('answered'),
      onTick: () => {
        ticks += 1;
      },
    });
  });

  afterEach(async () => {
    server.thaw();
    clock.resume();
    await lease.stop();
    redis.close();
    operator.close();
    await proxy.close();
    await server.stop();
  });

  const renewedTimes = (count: number): Promise<unknown> => {
    const enough = lease.renewals + count;
    return until('renewals', () => lease.renewals >= enough);
  };

  test('is renewed before its margin ends, for as long as Redis answers', async () => {
    await lease.start();
    await renewedTimes(6);
    expect(lease.isValid()).toBe(true);
    expect(heard).toEqual(['taken']);
    expect(await operator.main.pttl(key)).toBeGreaterThan(ttlMs / 2);
  });

  test('ends locally before it ends in Redis', async () => {
    await lease.start();
    clock.pause();
    await until('validity to end', () => !lease.isValid());
    expect(await operator.main.pttl(key)).toBeGreaterThan(0);
  });

  test('that is deleted is lost at the next renewal, and acquired again', async () => {
    await lease.start();
    await operator.main.del(key);
    await until('the loss', () => heard.includes('lost'));
    await until('the next term', () => lease.isValid());
    expect(heard).toEqual(['taken', 'lost', 'taken']);
  });

  test('that is given to another node is lost within one renewal, and acquired again', async () => {
    await lease.start();
    await operator.main.set(key, 'somebody else', 'PX', 60_000);
    await until('the loss', () => heard.includes('lost'));
    await until('the next term', () => lease.isValid());
    expect(heard).toEqual(['taken', 'lost', 'taken']);
  });

  test('grants of a lost term stay invalid when the lease is acquired again', async () => {
    await lease.start();
    const isOfTerm = lease.term();
    expect(isOfTerm()).toBe(true);
    await operator.main.del(key);
    await until('the next term', () => heard.length === 3);
    expect(isOfTerm()).toBe(false);
    expect(lease.term()()).toBe(true);
  });

  test('one unanswered renewal loses nothing', async () => {
    await lease.start();
    proxy.swallowNextReply();
    await until('the reply to be lost', () => proxy.fired === 1);
    await renewedTimes(2);
    expect(heard).toEqual(['taken', 'answered']);
  });

  test('a Redis that hangs for less than the margin loses nothing', async () => {
    await lease.start();
    await renewedTimes(1);
    server.freeze();
    const frozenAt = performance.now();
    await until('half the margin', () => performance.now() - frozenAt > ttlMs * 0.35);
    server.thaw();
    await renewedTimes(2);
    expect(heard).toEqual(['taken']);
  });

  test('a Redis that hangs for longer than the lease: the node is not sure of it, but holds it', async () => {
    await lease.start();
    const isOfTerm = lease.term();
    server.freeze();
    await until('the margin to end', () => !lease.isSure());
    const from = ticks;
    await until('a life of the lease to pass', () => ticks >= from + 8);
    expect([lease.isValid(), isOfTerm(), lease.isSure(), heard]).toEqual([true, true, false, ['taken']]);
    server.thaw();
    await until('an answer', () => lease.isSure());
    expect([isOfTerm(), heard, lease.outages]).toEqual([true, ['taken', 'answered'], 1]);
    expect(await operator.main.pttl(key)).toBeGreaterThan(0);
  }, 15_000);

  test('after a restart of Redis with its data the lease is renewed, without its data acquired again', async () => {
    await lease.start();
    await server.restart('same');
    await renewedTimes(2);
    expect(heard).toEqual(['taken', 'answered']);
    await server.restart('empty');
    await until('the lease to be there', () => heard.length === 3);
    expect(heard).toEqual(['taken', 'answered', 'answered']);
    expect(await operator.main.pttl(key)).toBeGreaterThan(0);
  });

  test.each([
    'OOM command not allowed when used memory is above the maximum',
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'NOSCRIPT No matching script. Please use EVAL.',
    'MISCONF Redis is configured to save RDB snapshots',
  ])('the answer %s never counts as acquired or renewed', async (error) => {
    proxy.answerWith(error);
    await lease.start();
    await until('an answer', () => proxy.fired > 0);
    expect(lease.isValid()).toBe(false);
    expect(heard).toEqual([]);
    proxy.answerWith(null);
    await until('the lease', () => lease.isValid());
    const renewals = lease.renewals;
    proxy.answerWith(error);
    await until('the margin to end', () => !lease.isSure());
    expect(lease.renewals - renewals).toBeLessThanOrEqual(1); // one may have been in flight
    expect(lease.isValid()).toBe(true);
    proxy.answerWith(null);
    await until('the lease to be sure', () => lease.isSure());
    expect(heard).toEqual(['taken', 'answered']);
  });

  test('a node whose timers were blocked knows that its lease has ended before anything else happens', async () => {
    await lease.start();
    clock.pause();
    await until('the key to be gone', async () => (await operator.main.exists(key)) === 0);
    expect(lease.isValid()).toBe(false);
    clock.resume();
    await until('the next term', () => lease.isValid());
    expect(heard).toEqual(['taken', 'lost', 'taken']);
  });

  test.each([3_600_000, -3_600_000])('a wall clock that jumps by %i ms loses nothing', async (jumpMs) => {
    await lease.start();
    const rightNow = Date.now;
    Date.now = () => rightNow() + jumpMs;
    await renewedTimes(3).finally(() => (Date.now = rightNow));
    expect(heard).toEqual(['taken']);
  });

  test('without Redis at the start the lease is acquired once Redis is up', async () => {
    await server.kill9();
    await lease.start();
    expect(lease.isValid()).toBe(false);
    await server.restart('empty');
    await until('the lease', () => lease.isValid());
    expect(heard).toEqual(['taken']);
  });

  test('a stopped lease is removed from Redis at once', async () => {
    await lease.start();
    await lease.stop();
    expect(lease.isValid()).toBe(false);
    expect(await operator.main.exists(key)).toBe(0);
  });
});
