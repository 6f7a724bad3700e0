/** The connection: its options, what the server says it is, and whether it can be written to right now. */
import type {
  Db,
  GridFSBucket,
  MongoClient,
  MongoClientOptions,
  ObjectId,
  TopologyDescription,
} from 'mongodb';
import { StoreUnavailable } from '../../../kernel/faults.ts';
import { describe } from './errors.ts';
import { whyUnreachable } from './unreachable.ts';

export interface Connection {
  client: MongoClient;
  db: Db;
  /** For commands that we spell ourselves. */
  writeConcern: { w: 'majority' | 1; j: true; wtimeout: number };
  /** For reads that must not see what a fail-over could take back. */
  safely: { readConcern: { level: 'majority' | 'local' } };
  isReachable(): boolean;
  /** Where the bytes of files are, and an id for the next. */
  gridFs: { bucket: GridFSBucket; newBlob(): ObjectId };
}

/** Below the socket's time-out, so that a majority that does not answer is told and not guessed. */
const wtimeoutMs = 4_000;

const options: MongoClientOptions = {
  w: 'majority',
  journal: true,
  wtimeoutMS: wtimeoutMs,
  retryWrites: true,
  retryReads: true,
  readPreference: 'primary',
  maxPoolSize: 40,
  maxConnecting: 4,
  waitQueueTimeoutMS: 5_000,
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 3_000,
  // A black hole answers nothing: 6 s and a last attempt after it stay within twice the budget. [faults: 26]
  socketTimeoutMS: 6_000,
  heartbeatFrequencyMS: 2_000,
  ignoreUndefined: true,
};

const defaultDatabase = 'trunkline';
const writable = new Set<string>(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer']);

/** Throws StoreUnavailable, without the URI, which may hold a password, when no server answers in 5 s. */
export async function connect(
  uri: string,
  appName: string,
  more: Pick<MongoClientOptions, 'monitorCommands'> = {},
): Promise<Connection> {
  // Half of a small node's start-up: only who uses it pays. [performance §1, Start]
  const { GridFSBucket, MongoClient, ObjectId } = await import('mongodb');
  const client = makeClient(() => new MongoClient(uri, { ...options, ...more, appName }));
  let reachable = false;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    reachable = canBeWritten(newDescription);
  });
  try {
    await client.connect();
    const db = client.db(parseDatabaseName(uri));
    const isReplicated = await saysItReplicates(db);
    return {
      client,
      db,
      writeConcern: { w: isReplicated ? 'majority' : 1, j: true, wtimeout: wtimeoutMs },
      safely: { readConcern: { level: isReplicated ? 'majority' : 'local' } },
      isReachable: () => reachable,
      gridFs: {
        bucket: new GridFSBucket(db, { bucketName: 'media' }),
        newBlob: () => new ObjectId(),
      },
    };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw new StoreUnavailable(whyUnreachable(error, uri), 'no');
  }
}

function makeClient(make: () => MongoClient): MongoClient {
  try {
    return make();
  } catch (error) {
    // Without its cause: that message may quote the URI.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(`MONGODB_URI can't be used: ${describe(error)}`);
  }
}

/** The path of the URI; several hosts are no URL of the standard, so it is cut out by hand. */
function parseDatabaseName(uri: string): string {
  const path = /^[a-z+]+:\/\/[^/]*\/([^?]+)/.exec(uri)?.[1];
  return path === undefined ? defaultDatabase : decodeURIComponent(path);
}

function canBeWritten(topology: TopologyDescription): boolean {
  return [...topology.servers.values()].some(({ type }) => writable.has(type));
}

/** A standalone knows no majority. A router has replica sets behind it. */
async function saysItReplicates(db: Db): Promise<boolean> {
  const hello = await db.admin().command({ hello: 1 });
  return typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid';
}
