/** A malicious client of Redis: it reads everything, replays it in other channels, and writes garbage. */
import { Redis } from 'ioredis';

/** Neither packets, nor requests, nor jobs, or such as ask for something forbidden. */
const garbage = [
  '',
  '{',
  'null',
  '[]',
  '["x",{"nsp":"/live"}]',
  '-1',
  '1e999',
  '\u0000\u00c1',
  '{"options":5}',
  '{"options":{"retries":1e9,"stacktraces":5,"backoff":{"strategy":"immediate"}}}',
  ...Array.from({ length: 10 }, (_, type) =>
    JSON.stringify({ type, rooms: ['x'], close: true, data: [], requestId: 'x' }),
  ),
  ...Array.from({ length: 10 }, (_, type) =>
    JSON.stringify({
      type,
      opts: { rooms: [], except: [] },
      rooms: ['x'],
      close: true,
      packet: { data: [] },
    }),
  ),
];

const jobQueues = ['job:send-mail', 'job:look-at-channel'];

export class HostileRedis {
  readonly #client: Redis;
  readonly #listener: Redis;
  readonly #heard: { channel: string; bytes: Buffer }[] = [];

  private constructor(url: string) {
    this.#client = new Redis(url);
    this.#listener = new Redis(url);
  }

  static async open(url: string): Promise<HostileRedis> {
    const hostile = new HostileRedis(url);
    hostile.#listener.on('pmessageBuffer', (_: unknown, channel: Buffer, bytes: Buffer) => {
      if (hostile.#heard.length < 200) hostile.#heard.push({ channel: String(channel), bytes });
    });
    await hostile.#listener.psubscribe('*');
    return hostile;
  }

  /** Everything that it could read. */
  heard(): string {
    return this.#heard.map(({ bytes }) => String(bytes)).join('\n');
  }

  /** Publishes garbage and recorded messages in every pub/sub channel that has subscribers. */
  async publishEverywhere(accountIds: readonly string[]): Promise<void> {
    const { subscribed, patterns } = await this.#listenedTo();
    const rooms = patterns.flatMap((pattern) => accountIds.map((id) => pattern.replace('*', `${id}#`)));
    const requests = ['/', '/live'].flatMap((space) => [
      `trunkline:live-request#${space}#`,
      `trunkline:live-response#${space}#`,
    ]);
    const channels = [
      ...subscribed,
      ...patterns.map((pattern) => pattern.replace('*', '')),
      ...rooms,
      ...requests,
    ];
    for (const channel of channels) {
      for (const bytes of garbage) await this.#client.publish(channel, bytes);
      for (const { bytes } of this.#heard.slice(0, 20)) await this.#client.publish(channel, bytes);
    }
  }

  /** Overwrites every key, and adds garbage jobs; without an expiry. */
  async overwriteEverything(how: 'string' | 'list' | 'members'): Promise<void> {
    for (const key of await this.#client.keys('trunkline:*')) await this.#overwrite(key, how);
    for (const queue of jobQueues) {
      const key = `trunkline:jobs:${queue}`;
      for (const [index, job] of garbage.entries()) {
        await this.#client.hset(`${key}:jobs`, `bad-${index}`, job).catch(() => undefined);
        await this.#client.lpush(`${key}:waiting`, `bad-${index}`).catch(() => undefined);
      }
      await this.#client.set(`${key}:stallBlock`, '1');
    }
  }

  close(): void {
    this.#client.disconnect();
    this.#listener.disconnect();
  }

  async #overwrite(key: string, how: 'string' | 'list' | 'members'): Promise<void> {
    if (how === 'members') {
      await this.#overwriteMembers(key).catch(unlessOtherType);
      return;
    }
    // In one transaction: a node that writes the key in between would restore it.
    const ended = this.#client.multi().del(key);
    await (how === 'list' ? ended.rpush(key, 'garbage') : ended.set(key, 'garbage')).exec();
  }

  async #overwriteMembers(key: string): Promise<void> {
    const type = await this.#client.type(key);
    if (type === 'hash')
      for (const field of await this.#client.hkeys(key)) await this.#client.hset(key, field, 'garbage');
    if (type === 'set') await this.#client.sadd(key, 'garbage', 'x'.repeat(10_000));
    if (type === 'string') await this.#client.set(key, 'garbage');
  }

  /** The pub/sub channels with subscribers, and the live feed's patterns, which Redis does not list. */
  async #listenedTo(): Promise<{ subscribed: string[]; patterns: string[] }> {
    const subscribed = (await this.#client.pubsub('CHANNELS', '*')).map(String);
    return { subscribed, patterns: ['trunkline:live#/#*', 'trunkline:live#/live#*'] };
  }
}

/** A node has replaced the key by one of another type meanwhile. */
function unlessOtherType(error: unknown): void {
  if (!(error instanceof Error && error.message.startsWith('WRONGTYPE'))) throw error;
}
