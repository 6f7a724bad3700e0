/** Redis with high availability: a primary, its replica, and three Sentinels that promote the replica. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './ports.ts';
import { writeTlsFiles } from './redis-certificate.ts';
import type { TlsFiles } from './redis-certificate.ts';
import { RedisServer } from './redis-server.ts';
import { until } from './until.ts';

/** A primary that has been silent for this long is down if two of the three Sentinels agree. */
const downAfterMs = 1_000;
const quorum = 2;
/** Of the user of the test itself, who may do everything. */
const rootPassword = 'closed';

/** The service's user at Redis and at the Sentinels: ACL rules without name and password. */
interface UserRules {
  redis: string;
  sentinel: string;
}

const user = { name: 'trunkline', password: 'a-word', sentinelPassword: 'another-word' };

/** A server and the port under which the others know it. */
interface Reached {
  server: RedisServer;
  port: number;
}

interface Parts {
  first: Reached;
  second: Reached;
  sentinels: readonly Reached[];
  tls: TlsFiles | null;
}

export class RedisSentinels {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `rules`: over TLS only, with users: the service has these permissions, and every other client has a password. */
  static async start(rules: UserRules | null = null): Promise<RedisSentinels> {
    const tls = rules === null ? null : writeTlsFiles();
    const make = (options: Record<string, string>): Promise<Reached> =>
      tls === null || rules === null ? startPlain(options) : startGuarded(options, tls, rules.redis);
    const first = await make({});
    const second = await make({ replicaof: `127.0.0.1 ${first.port}` });
    const config = [
      `sentinel monitor trunkline 127.0.0.1 ${first.port} ${quorum}`,
      `sentinel down-after-milliseconds trunkline ${downAfterMs}`,
      'sentinel failover-timeout trunkline 5000',
      '',
    ];
    const startOne = async (): Promise<Reached> => {
      if (tls === null || rules === null) return reached(await RedisServer.startSentinel(config.join('\n')));
      const port = await freePort();
      const guard = guardOfSentinel({ ...tls.directives, 'tls-port': String(port) }, rules.sentinel);
      return { server: await RedisServer.startSentinel([...guard, ...config].join('\n')), port };
    };
    const sentinels = await Promise.all([startOne(), startOne(), startOne()]);
    const started = new RedisSentinels({ first, second, sentinels, tls });
    await until('the Sentinels to know each other and the replica', () => started.isWhole(), 30_000);
    return started;
  }

  /** The initial primary. */
  get first(): RedisServer {
    return this.#parts.first.server;
  }

  get second(): RedisServer {
    return this.#parts.second.server;
  }

  get url(): string {
    const { sentinels, tls } = this.#parts;
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    if (tls === null) return `redis+sentinel://${hosts}/trunkline`;
    const of = `sentinelUser=${user.name}&sentinelPassword=${user.sentinelPassword}`;
    return `redis+sentinel://${user.name}:${user.password}@${hosts}/trunkline?tls=1&tlsCAFile=${tls.caFile}&${of}`;
  }

  /** The primary by the first Sentinel, which may know none. */
  async primary(): Promise<RedisServer | undefined> {
    const { first, second, sentinels } = this.#parts;
    const answer = await this.#ask(sentinels[0]?.server, 'SENTINEL', 'get-master-addr-by-name', 'trunkline');
    const port = Array.isArray(answer) ? Number(answer[1]) : 0;
    return [first, second].find((each) => each.port === port)?.server;
  }

  /** What the server, and each Sentinel, refused to the service's user. */
  async refusals(server: RedisServer): Promise<string[]> {
    const servers = [server, ...this.#parts.sentinels.map((each) => each.server)];
    const logs = await Promise.all(servers.map((each) => this.#ask(each, 'ACL', 'LOG')));
    return logs.map((log) => JSON.stringify(log)).filter((log) => log.includes(`"${user.name}"`));
  }

  /** The connections of the service's user: the server's port, and the latest command. */
  async connections(server: RedisServer): Promise<{ port: number; command: string }[]> {
    const clients = String(await this.#ask(server, 'CLIENT', 'LIST')).split('\n');
    const own = clients.filter((line) => line.includes(` user=${user.name} `));
    return own.map((line) => ({
      port: Number(/ laddr=[\d.]+:(\d+)/.exec(line)?.[1]),
      command: / cmd=(\S+)/.exec(line)?.[1] ?? '',
    }));
  }

  /** The port over TLS. */
  portOf(server: RedisServer): number {
    const { first, second } = this.#parts;
    return (server === first.server ? first : second).port;
  }

  /** Over the port in clear text, which is the test's own. */
  async #ask(server: RedisServer | undefined, command: string, ...what: string[]): Promise<unknown> {
    const password = this.#parts.tls === null ? {} : { password: rootPassword };
    const redis = new Redis({ port: server?.port ?? 0, ...password, protocol: 2, enableReadyCheck: false });
    try {
      return await redis.call(command, ...what);
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    const { first, second, sentinels, tls } = this.#parts;
    await Promise.all([...sentinels, first, second].map(({ server }) => server.stop()));
    if (tls !== null) rmSync(tls.folder, { recursive: true });
  }

  /** Whether each Sentinel knows the others, the primary and its replica. */
  async isWhole(): Promise<boolean> {
    const asked = this.#parts.sentinels.map(({ server }) =>
      this.#ask(server, 'SENTINEL', 'master', 'trunkline'),
    );
    return (await Promise.all(asked)).every((answer) => {
      const fields: unknown[] = Array.isArray(answer) ? answer : [];
      const of = (name: string): unknown => fields[fields.indexOf(name) + 1];
      return of('num-slaves') === '1' && of('num-other-sentinels') === '2' && of('flags') === 'master';
    });
  }
}

function reached(server: RedisServer): Reached {
  return { server, port: server.port };
}

async function startPlain(options: Record<string, string>): Promise<Reached> {
  return reached(await RedisServer.start(options));
}

async function startGuarded(
  options: Record<string, string>,
  { folder, directives }: TlsFiles,
  rules: string,
): Promise<Reached> {
  const port = await freePort();
  const aclfile = join(folder, 'users.acl');
  // The permissions of Sentinels and replicas are those of Redis' own documentation.
  const users = [
    `user default on >${rootPassword} ~* &* +@all`,
    `user ${user.name} on >${user.password} ${rules}`,
    'user watcher on >word allchannels +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill',
    'user replica on >word +psync +replconf +ping',
  ];
  writeFileSync(aclfile, `${users.join('\n')}\n`);
  const server = await RedisServer.start({
    ...directives,
    'tls-port': String(port),
    'tls-replication': 'yes',
    aclfile,
    masteruser: 'replica',
    masterauth: 'word',
    ...options,
  });
  return { server, port };
}

function guardOfSentinel(directives: Record<string, string>, rules: string): string[] {
  return [
    ...Object.entries(directives).map(([name, value]) => `${name} ${value}`),
    'tls-replication yes',
    `user default on >${rootPassword} ~* &* +@all`,
    `user ${user.name} on >${user.sentinelPassword} ${rules}`,
    `sentinel sentinel-pass ${rootPassword}`,
    'sentinel auth-user trunkline watcher',
    'sentinel auth-pass trunkline word',
  ];
}
