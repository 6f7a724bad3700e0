/** [operator-interface §2] Redis over TLS, with a user that has only the permissions of docs/operating/scaling.md; and a Redis Cluster, which is refused. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { builtFile } from '../support/built.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { freePort } from '../support/ports.ts';
import { writeTlsFiles } from '../support/redis-certificate.ts';
import { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import { Storm } from './support/storm.ts';

jest.setTimeout(120_000);

const resendAfterMs = 6_000;
const page = readFileSync(join(import.meta.dirname, '../../docs/operating/scaling.md'), 'utf8');
const rules = /^user trunkline (on .+)$/m.exec(page)?.[1]?.replace('>password', '>a-word').split(' ') ?? [];

interface Guarded {
  server: RedisServer;
  url: string;
  caFile: string;
  /** A user with all permissions. */
  root: Redis;
}

/** A Redis that requires a password and TLS, with a second port in clear text for the test. */
async function startRedis(): Promise<Guarded> {
  const tlsPort = await freePort();
  const { caFile, directives } = writeTlsFiles();
  const server = await RedisServer.start({ ...directives, 'tls-port': String(tlsPort) });
  const root = new Redis({ port: server.port });
  await root.call('ACL', 'SETUSER', 'trunkline', ...rules);
  await root.call('ACL', 'SETUSER', 'default', 'resetpass', '>closed');
  return { server, root, caFile, url: `rediss://trunkline:a-word@127.0.0.1:${tlsPort}` };
}

describeCluster("an operator's Redis", (source) => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let cluster: ServiceCluster;
  beforeAll(async () => {
    redis = await startRedis();
    cluster = await ServiceCluster.start(source, {
      redisUrl: `${redis.url}?tlsCAFile=${redis.caFile}`,
      nodes: 2,
      env: { SEND_RESEND_AFTER_MS: String(resendAfterMs), WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000' },
    });
  }, clusterHookMs);
  afterAll(async () => {
    await cluster.close();
    redis.root.disconnect();
    await redis.server.stop();
    rmSync(dirname(redis.caFile), { recursive: true });
  });

  test('two nodes work over TLS as a user with the commands and keys of the page, and Redis refuses no command', async () => {
    const channels = [
      await cluster.world.connect(await newAccount(cluster.world.service), 'chatapp'),
      await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat'),
    ];
    const storm = new Storm(cluster, channels);
    try {
      await storm.flows(5);
      const [first] = cluster.nodes;
      await first?.kill9();
      await storm.flows(5);
      await first?.start();
      await cluster.linked();
      await storm.flows(5);
    } finally {
      await storm.stop();
    }
    await storm.settled();
    expect(await storm.findings(resendAfterMs)).toEqual([]);
    expect(await redis.root.call('ACL', 'LOG')).toEqual([]);
    expect(await redis.root.call('CLIENT', 'LIST')).toContain('user=trunkline');
  });

  interface Said {
    lines: string[];
    /** The exit code, if the process ended by itself. */
    code: number | null;
  }

  /** Starts a node with another Redis; resolves once a line has the expected text and, if `ends`, the process has ended. */
  async function started(redisUrl: string, said: string, ends = false): Promise<Said> {
    const node = await cluster.make('node-apart', { REDIS_URL: redisUrl });
    try {
      node.spawn(builtFile('src/main.js'));
      await until(said, () => node.lines.some((line) => line.includes(said)));
      return { lines: node.lines, code: ends ? await node.ended() : null };
    } finally {
      await node.kill9();
      await Promise.all([node.proxies.redis.close(), node.proxies.mongo.close()]);
    }
  }

  test('without the certificate authority, Redis counts as down, and the log says why', async () => {
    const { lines } = await started(redis.url, 'redis.away');
    expect(lines.find((line) => line.includes('redis.away'))).toContain('self-signed certificate');
  });

  test('a Redis Cluster ends the start with a line that says what is supported', async () => {
    const server = await RedisServer.start({ 'cluster-enabled': 'yes' });
    let said: Said;
    try {
      said = await started(server.url, 'REDIS_URL', true);
    } finally {
      await server.stop();
    }
    const { lines, code } = said;
    expect(code).toBe(1);
    expect(lines).toContain(
      'trunkline: REDIS_URL names a node of a Redis Cluster: supported are one server (redis://, rediss://) and Sentinels (redis+sentinel://)',
    );
  });
});
