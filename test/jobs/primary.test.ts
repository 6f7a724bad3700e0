/** [faults: 521] bee-queue's client looks names up for IPv4 alone, also where the other connections reach Redis over IPv6. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openConnections } from '../../src/jobs/node-redis.ts';
import { Primary } from '../../src/jobs/primary.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

/** A container may have no IPv6, not even of its own. */
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

describeWithRedis('a Redis whose name has IPv6 addresses', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start({ bind: '127.0.0.1 -::1' });
  });
  afterAll(() => server.stop());

  const urlOf = (name: string) => `redis://${name}:${server.port}`;

  (hasIpv6 ? test : test.skip)('and no other: jobs connect to it', async () => {
    const primary = new Primary(urlOf('redis.internal'), async () => ['::1']);

    const connections = openConnections(await primary.find(), () => undefined);

    try {
      await Promise.race([
        until('the connection', () => connections.first.stream.remoteAddress === '::1'),
        connections.lost.then((error) => {
          throw error;
        }),
      ]);
    } finally {
      connections.end();
    }
  });

  test('each queue that is opened tries the next address of the name, and says its name in TLS', async () => {
    const primary = new Primary('rediss://redis.internal', async () => ['10.0.0.1', 'fd00::1']);

    const found = [await primary.find(), await primary.find(), await primary.find()];

    expect(found.map(({ host }) => host)).toEqual(['10.0.0.1', 'fd00::1', '10.0.0.1']);
    expect(found.map(({ tls }) => tls?.servername)).toEqual(Array(3).fill('redis.internal'));
  });

  test('an address in the URL is used as it is, and none is no server', async () => {
    const none = async () => [];

    expect(await new Primary('rediss://[fd00::1]', none).find()).toMatchObject({ host: 'fd00::1', tls: {} });
    await expect(new Primary('redis://redis.internal', none).find()).rejects.toThrow(/has no address/);
  });
});
