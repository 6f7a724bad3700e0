import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openRedis } from '../../src/ownership/redis.ts';
import type { RedisConnections } from '../../src/ownership/redis.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { silentLog } from '../support/silent-log.ts';
import { Outage } from '../../src/kernel/outage.ts';
import { freePort } from '../support/ports.ts';
import { Proxy } from '../support/proxy.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

describeWithRedis('the connections to Redis', () => {
  let server: RedisServer;
  let proxy: Proxy;
  let redis: RedisConnections;
  let lines: string[];

  beforeEach(async () => {
    lines = [];
    server = await RedisServer.start();
    proxy = await Proxy.start(server.port);
    redis = await openRedis(
      `redis://127.0.0.1:${proxy.port}`,
      new Outage('redis', 'the-host:6379', makeLog('info', { write: (line) => lines.push(line) })),
    );
  });

  afterEach(async () => {
    redis.close();
    await proxy.close();
    await server.stop();
  });

  const isReady = (): Promise<unknown> => until('Redis to be back', () => redis.main.status === 'ready');

  test('a Redis that closes each connection, or Sentinels that do not answer, do not prevent a node from starting', async () => {
    const rude = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(rude, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const { port } = rude.address() as AddressInfo;
    const urls = [`redis://127.0.0.1:${port}`, `redis+sentinel://127.0.0.1:${await freePort()}/the-primary`];
    for (const url of urls) {
      const early = await openRedis(url, new Outage('redis', '', silentLog));
      expect(early.main.status).not.toBe('ready');
      early.close();
    }
    await new Promise((resolve) => rude.close(resolve));
  });

  test('while Redis is down a command is refused at once and never executed later', async () => {
    await server.kill9();
    await until('the loss to be seen', () => redis.main.status !== 'ready');
    await expect(redis.main.set('late', '1')).rejects.toThrow();
    await server.restart('same');
    await isReady();
    expect(await redis.main.get('late')).toBeNull();
  });

  test('if Redis hangs, each command fails by its timeout, and the connection recovers by itself', async () => {
    server.freeze();
    await expect(redis.lease.set('slow', '1')).rejects.toThrow('timed out');
    server.thaw();
    await until('an answer', () => redis.lease.ping().catch(() => null));
  });

  test('a connection that this node closes itself is no outage', async () => {
    redis.close();
    await until('the end of both', () => [redis.main, redis.lease].every(({ status }) => status === 'end'));
    expect(lines).toEqual([]);
  });

  test('a silent connection with waiting commands is replaced by a new one', async () => {
    proxy.blackHolePresent();
    const before = redis.main.stream;
    await until('another connection that answers', () =>
      redis.main.ping().then(
        () => redis.main.stream !== before,
        () => false,
      ),
    );
    expect(proxy.fired).toBeGreaterThan(0);
  }, 15_000);

  test('after an outage the connection recovers by itself', async () => {
    await server.kill9();
    await until('the loss to be seen', () => redis.main.status !== 'ready');
    await server.restart('empty');
    await isReady();
  });

  test('a lost reply fails its command, which is not repeated', async () => {
    await redis.main.set('count', '0');
    proxy.swallowNextReply();
    await expect(redis.main.incr('count')).rejects.toThrow();
    expect(proxy.fired).toBe(1);
    await isReady();
    expect(await redis.main.get('count')).toBe('1');
  });

  test('a READONLY answer fails the command and is followed by a new connection', async () => {
    const before = redis.main.stream;
    proxy.answerWith("READONLY You can't write against a read only replica.");
    await expect(redis.main.set('a', '1')).rejects.toThrow('READONLY');
    proxy.answerWith(null);
    await until('a new connection', () => redis.main.status === 'ready' && redis.main.stream !== before);
  });

  test('any other error fails the command and leaves the connection open', async () => {
    const before = redis.main.stream;
    proxy.answerWith('ERR no such command');
    await expect(redis.main.set('a', '1')).rejects.toThrow('no such command');
    proxy.answerWith(null);
    expect(await redis.main.set('a', '1')).toBe('OK');
    expect(redis.main.stream).toBe(before);
  });

  test('a command during a reconnection is refused, and not kept for the new connection', async () => {
    const closed = once(redis.main, 'close');
    redis.main.stream.destroy();
    await closed;
    await expect(redis.main.set('late', '1')).rejects.toThrow();
    await isReady();
    expect(await redis.main.get('late')).toBeNull();
  });

  test('the first reconnection comes at once, later ones at intervals of at most a second', () => {
    const afterMs = (attempt: number) => Number(redis.main.options.retryStrategy?.(attempt));
    const [first, hundredth] = [afterMs(1), afterMs(100)];
    expect([first >= 10 && first <= 20, hundredth >= 500 && hundredth <= 1_000]).toEqual([true, true]);
  });

  test('an outage is one log line at its start and one at its end', async () => {
    await server.kill9();
    await until('the loss to be seen', () => redis.main.status !== 'ready' && redis.lease.status !== 'ready');
    await server.restart('empty');
    await until('both to be back', () => redis.main.status === 'ready' && redis.lease.status === 'ready');
    const told = lines.map((line) => JSON.parse(line)).map(({ msg, host, stack }) => [msg, host, stack]);
    expect(told).toEqual([
      ['redis.away', 'the-host:6379', undefined],
      ['redis.back', 'the-host:6379', undefined],
    ]);
  });

  test('a Redis that is down at the start does not prevent a node from starting', async () => {
    const port = await freePort();
    const log = makeLog('info', { write: (line) => lines.push(line) });
    const early = await openRedis(`redis://127.0.0.1:${port}`, new Outage('redis', '', log));
    expect(early.main.status).not.toBe('ready');
    early.close();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'redis.away',
      why: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
