/** The bench's own MongoDB and Redis, for the benches that need a cluster. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { findProgram, isExecutable } from '../../test/support/executables.ts';
import { freePort } from '../../test/support/ports.ts';
import { until } from '../../test/support/until.ts';
import type { Testbed } from './testbed.ts';
import { root } from './programs.ts';
import type { Program } from './programs.ts';
import { hasRedis, noRedis, startRedis } from './redis.ts';

export interface Servers {
  /** The URI of the database with this name. */
  mongodbUri: (database: string) => string;
  redisUrl: string;
  servers: readonly Program[];
}

/**
 * `mongo-server` of the tests, beside the checkout: takes PORT DIR; any other binary gets the arguments of `mongod`. It runs without the
 * tests' bridge, whose time would be in the figures. Without the bridge it refuses one of two first owners that claim the same channel at
 * once, which no bench does.
 */
const standIn = join(root, '../shared/services/mongo-server');

function mongoBinary(): string | null {
  const named = process.env['MONGOD_BINARY'];
  if (named !== undefined && named !== '') return named;
  return findProgram('mongod') ?? (isExecutable(standIn) ? standIn : null);
}

/** Names the server that is missing for a cluster, as a sentence; null if none is. */
export function missingServers(): string | null {
  if (!hasRedis()) return noRedis;
  return mongoBinary() === null ? 'there is no MongoDB here: set MONGOD_BINARY' : null;
}

/** Starts new servers for each bench that needs them, so that stored data of one bench does not slow the next. */
export async function startServers(testbed: Testbed): Promise<Servers> {
  const redis = await startRedis(testbed.programs);
  const mongo = await startMongo(testbed);
  return {
    mongodbUri: (database) => `${mongo.url}/${database}?directConnection=true`,
    redisUrl: redis.url,
    servers: [redis, mongo],
  };
}

async function startMongo({ programs, folder }: Testbed): Promise<Program> {
  const command = mongoBinary() ?? '';
  const port = await freePort();
  const dbPath = join(folder, `mongo-${port}`);
  await mkdir(dbPath);
  const isStandIn = !/mongod[^/]*$/.test(command);
  const ofMongod = ['--port', `${port}`, '--dbpath', dbPath, '--bind_ip', '127.0.0.1', '--replSet', 'bench'];
  const args = isStandIn ? [`${port}`, dbPath] : ofMongod;
  const { program } = programs.launch({ name: 'mongo', command, args, env: {} });
  const url = `mongodb://127.0.0.1:${port}`;
  await until('MongoDB to take writes', () => takesWrites(url, port), 30_000);
  return { ...program, url };
}

async function takesWrites(url: string, port: number): Promise<boolean> {
  const client = new MongoClient(url, { directConnection: true, serverSelectionTimeoutMS: 1_000 });
  try {
    const admin = client.db('admin');
    const hello = await admin.command({ hello: 1 });
    if (hello['isWritablePrimary'] === true) return true;
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    if (hello['setName'] === undefined) await admin.command({ replSetInitiate: { _id: 'bench', members } });
    return false;
  } finally {
    await client.close();
  }
}
