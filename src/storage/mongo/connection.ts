/** The connection: its options, the kind of server, whether it accepts writes at present, and why it failed. */
import type {
  Db,
  Document,
  GridFSBucket,
  MongoClient,
  MongoClientOptions,
  ObjectId,
  TopologyDescription,
} from 'mongodb';
import { StoreUnavailable, asError } from '../../kernel/faults.ts';
import { mongodbHosts } from '../../kernel/mongodb-uri.ts';
import { makeConnectionType } from './ending-connection.ts';
import { describe, unauthorizedCode } from './errors.ts';

export interface Connection {
  client: MongoClient;
  db: Db;
  /** For commands that do not use the driver's write API. */
  writeConcern: { w: 'majority' | 1; j: true; wtimeout: number };
  /** For reads that must not return what a failover could roll back. */
  safely: { readConcern: { level: 'majority' | 'local' } };
  isReachable(): boolean;
  /** Bucket of file bytes, and a new id for a file. */
  gridFs: { bucket: GridFSBucket; newBlob(): ObjectId };
}

/** Shorter than the socket timeout, so that the server reports a majority that does not acknowledge. */
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
  // If the network drops everything, 6 s and one last attempt stay within twice the budget. [faults: 26]
  socketTimeoutMS: 6_000,
  heartbeatFrequencyMS: 2_000,
  ignoreUndefined: true,
};

const defaultDatabase = 'trunkline';
const writable = new Set<string>(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer']);

/** Throws StoreUnavailable if no server answers in 5 s. The error does not contain the URI, which may contain a password. */
export async function connect(
  uri: string,
  appName: string,
  more: Pick<MongoClientOptions, 'monitorCommands' | 'socketTimeoutMS'> = {},
): Promise<Connection> {
  // Half of a small node's start-up time, so only nodes with MongoDB load it. [performance §1, Start]
  const { GridFSBucket, MongoClient, ObjectId } = await import('mongodb');
  const connectionType = await makeConnectionType();
  const all = { ...options, ...more, appName, connectionType };
  const client = makeClient(() => new MongoClient(uri, all));
  let reachable = false;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    reachable = canBeWritten(newDescription);
  });
  try {
    await client.connect();
    const db = client.db(parseDatabaseName(uri));
    const hello = await db.admin().command({ hello: 1 });
    if (hello['maxWireVersion'] < oldestWireVersion) throw new TooOld();
    const isReplicated = isOfSeveral(hello);
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
    // No cause: its message may quote the URI.
    // oxlint-disable-next-line preserve-caught-error
    throw new StoreUnavailable(`MONGODB_URI can't be used: ${whyUnusable(error)}`, 'no');
  }
}

/** Of the driver's message only the names of parameters. */
function whyUnusable(error: unknown): string {
  const [, names] = /^options? (\w+(?:, \w+)*) (?:is|are) not supported$/.exec(asError(error).message) ?? [];
  return names === undefined ? describe(error) : `the driver knows no parameter ${names}`;
}

/** The path of the URI, cut out by a pattern, because a URI with several hosts is no standard URL. */
function parseDatabaseName(uri: string): string {
  const path = /^[a-z+]+:\/\/[^/]*\/([^?]+)/.exec(uri)?.[1];
  return path === undefined ? defaultDatabase : decodeURIComponent(path);
}

function canBeWritten(topology: TopologyDescription): boolean {
  return [...topology.servers.values()].some(({ type }) => writable.has(type));
}

/** A standalone server has no majority. A router is in front of replica sets. */
function isOfSeveral(hello: Document): boolean {
  return typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid';
}

/** That of MongoDB 5.0: earlier ones refuse a second index with the same key and another condition. */
const oldestWireVersion = 13;

class TooOld extends Error {}

const needsNewer = 'its version is too old: MongoDB 5.0 or newer is needed';

/** Names the host, but never the URI, which may contain a password. */
function whyUnreachable(error: unknown, uri: string): string {
  return `MongoDB can't be reached at ${mongodbHosts(uri) ?? 'MONGODB_URI'}: ${findReason(readFields(error), error)}`;
}

type Fields = Record<string, unknown>;

const byServerCode = new Map<unknown, string>([
  [
    18,
    'it refuses the user or the password of MONGODB_URI; a user of its database admin needs authSource=admin there',
  ],
  [unauthorizedCode, 'the user of MONGODB_URI may not do what is needed'],
]);

const endsConnections = 'it ends every connection: is it MongoDB, does it want TLS?';
const bySocketCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host can not be looked up',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
  ECONNRESET: endsConnections,
};

function findReason({ code, reason }: Fields, error: unknown): string {
  if (error instanceof TooOld) return needsNewer;
  const refused = byServerCode.get(code);
  if (refused !== undefined) return refused;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'there is no SRV record of this name';
  const { setName, servers } = readFields(reason);
  const failures =
    servers instanceof Map ? [...servers.values()].map((server) => readFields(server)['error']) : [];
  const failure = failures.find((each) => each instanceof Error);
  if (failure instanceof Error) return reasonOfSocket(failure);
  // The server answered, so only the name of the replica set can be wrong.
  if (typeof setName === 'string') return `it is no replica set of the name ${setName}, or has no primary`;
  return describe(error);
}

function reasonOfSocket({ name, message, cause }: Error): string {
  if (name === 'MongoCompatibilityError') return needsNewer;
  const { code } = readFields(cause);
  const known = typeof code === 'string' ? bySocketCode[code] : undefined;
  if (known !== undefined) return known;
  if (message.endsWith('closed')) return endsConnections;
  if (message.endsWith('timed out')) return 'it takes connections and does not answer as MongoDB does';
  return 'it does not answer as MongoDB does';
}

function readFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(fieldsRead.map((name) => [name, Reflect.get(value, name)]))
    : {};
}

/** Fields of driver errors; some of them are on the prototype. */
const fieldsRead = ['code', 'reason', 'setName', 'servers', 'error'] as const;
