/** Redis with high availability: a primary, its replica, and three Sentinels that promote the replica. */
import { Redis } from 'ioredis';
import { RedisServer } from './redis-server.ts';
import { until } from './until.ts';

/** A primary that has been silent for this long is down if two of the three Sentinels agree. */
const downAfterMs = 1_000;
const quorum = 2;

export class RedisSentinels {
  /** The initial primary. */
  readonly first: RedisServer;
  readonly second: RedisServer;
  readonly sentinels: readonly RedisServer[];

  private constructor(first: RedisServer, second: RedisServer, sentinels: readonly RedisServer[]) {
    this.first = first;
    this.second = second;
    this.sentinels = sentinels;
  }

  static async start(): Promise<RedisSentinels> {
    const first = await RedisServer.start();
    const second = await RedisServer.start({ replicaof: `127.0.0.1 ${first.port}` });
    const config = [
      `sentinel monitor trunkline 127.0.0.1 ${first.port} ${quorum}`,
      `sentinel down-after-milliseconds trunkline ${downAfterMs}`,
      'sentinel failover-timeout trunkline 5000',
      '',
    ].join('\n');
    const sentinels = await Promise.all([1, 2, 3].map(() => RedisServer.startSentinel(config)));
    const started = new RedisSentinels(first, second, sentinels);
    await until('the Sentinels to know each other and the replica', () => started.isWhole(), 30_000);
    return started;
  }

  get url(): string {
    return `redis+sentinel://${this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/trunkline`;
  }

  /** The port of the primary, by the first Sentinel; 0 if it knows none. */
  async primaryPort(): Promise<number> {
    const answer = await ask(this.sentinels[0], 'get-master-addr-by-name', 'trunkline');
    return Array.isArray(answer) ? Number(answer[1]) : 0;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, this.first, this.second].map((server) => server.stop()));
  }

  /** Whether each Sentinel knows the others, the primary and its replica. */
  async isWhole(): Promise<boolean> {
    const answers = await Promise.all(this.sentinels.map((sentinel) => ask(sentinel, 'master', 'trunkline')));
    return answers.every((answer) => {
      const fields: unknown[] = Array.isArray(answer) ? answer : [];
      const of = (name: string): unknown => fields[fields.indexOf(name) + 1];
      return of('num-slaves') === '1' && of('num-other-sentinels') === '2' && of('flags') === 'master';
    });
  }
}

async function ask(server: RedisServer | undefined, ...what: string[]): Promise<unknown> {
  const redis = new Redis({ port: server?.port ?? 0, protocol: 2, enableReadyCheck: false });
  try {
    return await redis.call('SENTINEL', ...what);
  } finally {
    redis.disconnect();
  }
}
