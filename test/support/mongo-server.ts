/**
 * A MongoDB for tests, by the first that exists of `MONGODB_URI`, `MONGOD_BINARY`, `mongod` on the PATH and the stand-in server beside
 * this checkout. [operator-interface §1, npm test]
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { Document } from 'mongodb';
import { newSecret } from '../../src/kernel/ids.ts';
import { findProgram, isExecutable } from './executables.ts';
import { folderInMemory } from './in-memory.ts';
import { MongoBridge } from './mongo-bridge.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';
import { areServicesRequired } from './required.ts';

export type MongoSource =
  | { from: 'uri'; uri: string }
  | { from: 'mongod'; binary: string }
  | { from: 'stand-in'; binary: string };

const standIn = join(import.meta.dirname, '../../../shared/services/mongo-server');

/** Which server this machine offers; null if none. */
function mongoSource(): MongoSource | null {
  const { MONGODB_URI: uri, MONGOD_BINARY: named, PATH: path = '' } = process.env;
  if (uri !== undefined && uri !== '') return { from: 'uri', uri };
  if (named !== undefined && named !== '') return { from: 'mongod', binary: named };
  const found = findProgram('mongod', path);
  if (found !== null) return { from: 'mongod', binary: found };
  return isExecutable(standIn) ? { from: 'stand-in', binary: standIn } : null;
}

const howToGetOne =
  'no MongoDB here: set MONGODB_URI to a replica set, or MONGOD_BINARY, or put mongod on the PATH';

/**
 * A `describe` whose tests need a MongoDB; `own`: one that the test may kill. Without one, a skipped test says how to get one; with
 * REQUIRE_SERVICES=1 that test fails.
 */
export function describeWithMongo(
  name: string,
  needs: 'any' | 'own',
  body: (source: MongoSource) => void,
): void {
  const source = mongoSource();
  const why =
    source === null ? howToGetOne : 'needs a server of its own: unset MONGODB_URI, give MONGOD_BINARY';
  if (source !== null && (needs === 'any' || source.from !== 'uri')) describe(name, () => body(source));
  else if (areServicesRequired)
    test(name, () => {
      throw new Error(why);
    });
  else test.skip(`${name} (${why})`, () => undefined);
}

export interface FailPoint {
  failCommands: string[];
  errorCode?: number;
  errorLabels?: string[];
  closeConnection?: boolean;
  writeConcernError?: { code: number; codeName?: string; errmsg: string };
  blockConnection?: boolean;
  blockTimeMS?: number;
  appName?: string;
}

const replicaSet = 'trunkline-test';

/** A process of this test with a free port and an empty folder; or, from MONGODB_URI, a shared server with databases of fresh names. */
export class MongoServer {
  readonly #source: MongoSource;
  readonly #folder: string | null;
  readonly #port: number;
  /** The port of the process: behind the bridge if it is the stand-in, else the same as `#port`. */
  readonly #own: number;
  readonly #bridge: MongoBridge | null;
  readonly #standalone: boolean;
  #process: ChildProcess | null = null;
  #admin: MongoClient | null = null;

  private constructor(
    source: MongoSource,
    folder: string | null,
    { port, own }: { port: number; own: number },
    standalone: boolean,
  ) {
    this.#source = source;
    this.#folder = folder;
    this.#port = port;
    this.#own = own;
    this.#bridge = source.from === 'stand-in' ? new MongoBridge(port, own) : null;
    this.#standalone = standalone;
  }

  static async start(source: MongoSource, { standalone = false } = {}): Promise<MongoServer> {
    const isOurs = source.from !== 'uri';
    const folder = isOurs ? folderInMemory('mongo') : null;
    const port = isOurs ? await freePort() : 0;
    const own = source.from === 'stand-in' ? await freePort() : port;
    const server = new MongoServer(source, folder, { port, own }, standalone);
    await server.restart();
    return server;
  }

  /** 0 for the server of MONGODB_URI. */
  get port(): number {
    return this.#port;
  }

  /** The URI of a new, empty database. */
  freshUri(): string {
    return this.uriOf(`test_${newSecret(8).replaceAll('-', '_')}`);
  }

  uriOf(database: string): string {
    if (this.#source.from !== 'uri') return `mongodb://127.0.0.1:${this.#port}/${database}`;
    const [, start = '', query = ''] = /^([a-z+]+:\/\/[^/?]+)\/?[^?]*(\?.*)?$/.exec(this.#source.uri) ?? [];
    return `${start}/${database}${query}`;
  }

  /** Starts the process, also after `kill9`, with the same folder and port. */
  async restart(): Promise<void> {
    if (this.#source.from !== 'uri') this.#process = this.#spawn(this.#source.binary);
    await this.#bridge?.open();
    try {
      await until('MongoDB to take writes', () => this.#takesWrites(), 30_000);
    } catch (error) {
      await this.#end('SIGKILL');
      throw error;
    }
    // The times in tests' documents are years ago: the TTL monitor would delete the documents during the test.
    await this.admin({ setParameter: 1, ttlMonitorEnabled: false }).catch(() => undefined);
    await this.admin({ setParameter: 1, ttlMonitorSleepSecs: 3_600 }).catch(() => undefined);
  }

  #spawn(binary: string): ChildProcess {
    const port = String(this.#own);
    const folder = this.#folder ?? '';
    const set = this.#standalone ? [] : ['--replSet', replicaSet];
    const ofMongod = ['--port', port, '--dbpath', folder, '--bind_ip', '127.0.0.1', ...set];
    const args =
      this.#source.from === 'stand-in'
        ? [port, folder, ...(this.#standalone ? ['--standalone'] : [])]
        : [...ofMongod, '--setParameter', 'enableTestCommands=1'];
    return spawn(binary, args, { stdio: 'ignore' });
  }

  async #takesWrites(): Promise<boolean> {
    const hello = await this.admin({ hello: 1 }).catch(async (error: unknown) => {
      await this.#forgetClient(); // a client whose first connection failed never connects
      throw error;
    });
    if (hello['isWritablePrimary'] === true) return true;
    const isNew = hello['setName'] === undefined && this.#source.from === 'mongod' && !this.#standalone;
    if (isNew) {
      const members = [{ _id: 0, host: `127.0.0.1:${this.#port}` }];
      await this.admin({ replSetInitiate: { _id: replicaSet, members } });
    }
    return false;
  }

  /** Runs a command on the admin database, without replica set discovery. */
  async admin(command: Document): Promise<Document> {
    this.#admin ??= new MongoClient(this.uriOf('admin'), {
      ...(this.#source.from === 'uri' ? {} : { directConnection: true }),
      serverSelectionTimeoutMS: 1_000,
      appName: 'test-admin',
    });
    return this.#admin.db('admin').command(command);
  }

  /** The next `times` commands of these names fail as `data` says. */
  async failPoint(times: number, data: FailPoint): Promise<void> {
    await this.admin({ configureFailPoint: 'failCommand', mode: { times }, data });
  }

  async clearFailPoint(): Promise<void> {
    await this.admin({ configureFailPoint: 'failCommand', mode: 'off' });
  }

  /** Makes the primary refuse writes for this long. */
  async stepDown(seconds: number): Promise<void> {
    const command = { replSetStepDown: seconds, secondaryCatchUpPeriodSecs: 0, force: true };
    await this.admin(command).catch(() => undefined); // mongod closes the connection of this command
    if (this.#source.from === 'uri') return; // another member may be primary by now
    const { isWritablePrimary } = await this.admin({ hello: 1 });
    if (isWritablePrimary !== false) throw new Error('the primary did not step down');
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill9(): Promise<void> {
    await this.#forgetClient();
    await this.#end('SIGKILL');
  }

  async #forgetClient(): Promise<void> {
    const client = this.#admin;
    this.#admin = null;
    await client?.close();
  }

  async stop(): Promise<void> {
    await this.#forgetClient();
    await this.#end('SIGTERM');
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const process = this.#process;
    this.#process = null;
    if (process !== null && process.exitCode === null && process.signalCode === null) {
      const ended = once(process, 'exit');
      process.kill(signal);
      await ended;
    }
    await this.#bridge?.close();
  }
}
