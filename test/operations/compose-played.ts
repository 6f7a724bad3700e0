/**
 * compose.yml without Docker: its services as processes, each with its own environment; names and ports are mapped to free local ones.
 * The balancer is HAProxy, as there, or nginx with the file of config/nginx.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { call } from '../support/api.ts';
import { builtFile } from '../support/built.ts';
import { ClusterNode } from '../support/cluster-node.ts';
import { Inbox } from '../support/inbox.ts';
import { MongoServer } from '../support/mongo-server.ts';
import type { MongoSource } from '../support/mongo-server.ts';
import { freePort } from '../support/ports.ts';
import { Proxy } from '../support/proxy.ts';
import { RedisServer } from '../support/redis-server.ts';
import { adminToken } from '../support/service.ts';
import type { Simulator } from '../support/service.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'config/compose');

const nodeNames = ['node-1', 'node-2', 'node-3'];

const balancerFiles = { haproxy: 'compose/haproxy.cfg', nginx: 'nginx/trunkline.conf' };

/** The program at `path`. */
export interface PlayedBalancer {
  name: keyof typeof balancerFiles;
  path: string;
}

/** What a machine's own nginx.conf has around the files of conf.d, with what ours asks for. Debian's has 768 connections. */
function nginxAround(server: string, place: string, asked: string): string {
  const [, connections = '768'] = /worker_connections (\d+);/.exec(asked) ?? [];
  const [files = ''] = /worker_rlimit_nofile \d+;/.exec(asked) ?? [];
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(place, `nginx-${kind}`)};`,
  );
  const who = process.getuid?.() === 0 ? 'user root;' : '';
  return `${who} daemon off; pid ${join(place, 'nginx.pid')}; worker_processes 1; ${files}
    events { worker_connections ${connections}; }
    http { access_log off; ${places.join(' ')} include ${server}; }`;
}

type Environment = Record<string, string>;
type Mapped = (text: string) => string;

export class PlayedCompose {
  readonly nodes: ClusterNode[] = [];
  readonly inbox: Inbox;
  readonly world: World;
  readonly redis: RedisServer;
  readonly #place: string;
  readonly #ends: (() => Promise<unknown>)[] = [];

  private constructor(
    { url, simulatorUrl }: { url: string; simulatorUrl: string },
    { inbox, redis, place }: { inbox: Inbox; redis: RedisServer; place: string },
  ) {
    this.inbox = inbox;
    this.redis = redis;
    this.#place = place;
    const headers = { authorization: `Bearer ${adminToken}` };
    const service = {
      url,
      env: {},
      call: (method: string, path: string, options = {}) => call(method, `${url}${path}`, options),
      admin: (method: string, path: string, body?: unknown) =>
        call(method, `${url}/admin/v1${path}`, { body, headers }),
      stop: () => Promise.resolve(),
    };
    this.world = new World(service, controlOf(simulatorUrl), inbox);
  }

  static async start(source: MongoSource, balancer: PlayedBalancer): Promise<PlayedCompose> {
    const [redis, mongo, inbox, place] = await Promise.all([
      RedisServer.start(),
      MongoServer.start(source),
      Inbox.open(),
      mkdtemp(join(tmpdir(), 'trunkline-compose-')),
    ]);
    const { mapped, at } = await mapPlaces(redis.port, mongo.port);
    const played = new PlayedCompose(
      { url: at('balancer:3000'), simulatorUrl: at('simulator:3001') },
      { inbox, redis, place },
    );
    played.#ends.push(
      () => redis.stop(),
      () => mongo.stop(),
      () => inbox.close(),
    );
    try {
      const services = parse(mapped(readFileSync(join(folder, 'compose.yml'), 'utf8')), {
        merge: true,
      }).services;
      await played.#spawn(process.execPath, simulatorArguments, {
        env: { ...services.simulator.environment, SIMULATOR_PORT: new URL(at('simulator:3001')).port },
      });
      for (const name of nodeNames)
        await played.#startNode(name, { ...services[name].environment, ...portsOf(name, at) });
      await played.#startBalancer(balancer, mapped, new URL(at('balancer:3000')).host);
      await until('the balancer to find a node', async () => {
        const answer = await fetch(`${at('balancer:3000')}/readyz`);
        return answer.status === 200;
      });
      await until('the simulator', async () => (await fetch(`${at('simulator:3001')}/control/settings`)).ok);
    } catch (error) {
      await played.close();
      throw error;
    }
    return played;
  }

  async #startBalancer({ name, path }: PlayedBalancer, mapped: Mapped, address: string): Promise<void> {
    const own = mapped(readFileSync(join(root, 'config', balancerFiles[name]), 'utf8'));
    const file = join(this.#place, `${name}.cfg`);
    if (name === 'haproxy') {
      await writeFile(file, own.replace('bind :3000', `bind ${address}`));
      await this.#spawn(path, ['-db', '-f', file]);
      return;
    }
    const server = join(this.#place, 'server.conf');
    await writeFile(server, own.replace('listen 3000;', `listen ${address};`));
    await writeFile(file, nginxAround(server, this.#place, own));
    // nginx's worker outlives a master that was killed.
    await this.#spawn(path, ['-e', join(this.#place, 'nginx.log'), '-c', file], { endsAt: 'SIGTERM' });
  }

  async #startNode(name: string, env: Environment): Promise<void> {
    // No proxies here: the nodes reach their servers as compose.yml says.
    const nowhere = { redis: await Proxy.start(1), mongo: await Proxy.start(1) };
    const node = new ClusterNode(name, { ...env, HOST: '127.0.0.1', DATA_DIR: this.#place }, nowhere);
    this.nodes.push(node);
    this.#ends.push(async () => {
      await node.kill9();
      await Promise.all([nowhere.redis.close(), nowhere.mongo.close()]);
    });
    node.spawn(builtFile('src/main.js'));
    await node.ready();
  }

  async #spawn(
    program: string,
    args: readonly string[],
    { env = {}, endsAt = 'SIGKILL' }: { env?: Environment; endsAt?: NodeJS.Signals } = {},
  ): Promise<void> {
    const child: ChildProcess = spawn(program, args, {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'ignore',
    });
    await once(child, 'spawn');
    this.#ends.push(async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(endsAt);
      await gone;
    });
  }

  async close(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
    await rm(this.#place, { recursive: true, force: true });
  }
}

/** The `CMD` of simulator.Dockerfile. */
const simulatorArguments = ((): string[] => {
  const [, command = '[]'] =
    /^CMD (\[.*\])$/m.exec(readFileSync(join(folder, 'simulator.Dockerfile'), 'utf8')) ?? [];
  return JSON.parse(command).slice(1);
})();

/** The local address of each `name:port` in the files, and the text with all of them replaced. */
async function mapPlaces(
  redis: number,
  mongo: number,
): Promise<{ mapped: Mapped; at: (name: string) => string }> {
  const ports = new Map([
    ['redis:6379', redis],
    ['mongodb:27017', mongo],
  ]);
  const names = [
    'balancer:3000',
    'simulator:3001',
    ...nodeNames.flatMap((name) => [`${name}:3000`, `${name}:3100`]),
  ];
  for (const name of names) ports.set(name, await freePort());
  ports.set('localhost:3000', ports.get('balancer:3000') ?? 0);
  ports.set('localhost:3001', ports.get('simulator:3001') ?? 0);
  const here = (name: string): string => `127.0.0.1:${ports.get(name) ?? 0}`;
  const secrets: Record<string, string> = {
    ADMIN_TOKEN: adminToken,
    CLUSTER_SECRET: 'a-cluster-secret-of-the-tests-0001',
    ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
  };
  const mapped: Mapped = (text) => {
    const placed = [...ports.keys()].reduce((so, name) => so.replaceAll(name, here(name)), text);
    return placed
      .replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => secrets[name] ?? `no ${name}`)
      .replaceAll('?replicaSet=rs0', '?directConnection=true'); // the stand-in's set has another name
  };
  return { mapped, at: (name) => `http://${here(name)}` };
}

function portsOf(name: string, at: (name: string) => string): Environment {
  const port = (named: string): string => new URL(at(named)).port;
  return { PORT: port(`${name}:3000`), INTERNAL_PORT: port(`${name}:3100`) };
}

function controlOf(url: string): Simulator {
  return {
    url,
    stop: () => Promise.resolve(),
    async control(path, body) {
      const answer = await call(body === undefined ? 'GET' : 'POST', `${url}/control/${path}`, { body });
      if (answer.status >= 400) throw new Error(`control/${path} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
  };
}
