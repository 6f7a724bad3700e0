/** Which collections can be sharded: a query for each message must go to one shard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CommandStartedEvent, Document } from 'mongodb';
import { connect } from '../../src/storage/mongo/connection.ts';
import type { Connection } from '../../src/storage/mongo/connection.ts';
import { indexesOf, makeIndexes } from '../../src/storage/mongo/indexes.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { noon } from './conformance/samples.ts';
import { useAll } from './use-all.ts';
import { watched } from './watched.ts';
import { entities } from '../../src/features/entities.ts';
import { storeOn } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';

const indexes = indexesOf(entities);

const page = readFileSync(join(import.meta.dirname, '../../docs/operating/scaling.md'), 'utf8');

/** By collection that can be sharded, in order: the fields of its shard key. */
const shardKeys = new Map(
  [...page.matchAll(/^sh\.shardCollection\('trunkline\.([\w.]+)', \{ (.+) \}\)$/gm)].map(
    ([, collection = '', key = '']) => [
      collection,
      key.split(', ').map((field) => field.split(':')[0] ?? ''),
    ],
  ),
);

const inFilesOnly = new Set(['message_upstream_ids', 'mail_lines']);

/** One query or write, with the documents that it concerns. */
interface Asked {
  /** The store's method that made it. */
  by: string;
  command: string;
  collection: string;
  of: Document;
  isUpsert: boolean;
}

function listAsked(by: string, { commandName: name, command }: CommandStartedEvent): Asked[] {
  const collection = String(command[name]);
  const all = (list: Document[] = [], of: (each: Document) => Document): Asked[] =>
    list.map((each) => ({ by, command: name, collection, of: of(each), isUpsert: each['upsert'] === true }));
  switch (name) {
    case 'insert':
      return all(command['documents'], (document) => document);
    case 'update':
      return all(command['updates'], ({ q }) => q);
    case 'delete':
      return all(command['deletes'], ({ q }) => q);
    case 'find':
      return all([command], ({ filter }) => filter ?? {});
    case 'aggregate':
      return all([command], ({ pipeline }) => pipeline[0]?.$match ?? {});
    case 'findAndModify':
      return all([command], ({ query }) => query);
    default:
      return [];
  }
}

/** A field counts as given if the query has its value, or a list of values. */
function names({ of, isUpsert }: Asked, key: readonly string[]): boolean {
  const asked = isUpsert ? key : key.slice(0, 1);
  return asked.every((member) => {
    const value: unknown = of[member];
    if (value === undefined || value === null) return false;
    const isOperator = Object.getPrototypeOf(value) === Object.prototype;
    return !isOperator || '$in' in Object(value);
  });
}

/** Queries of every few seconds, over all channels, go to every shard. Any other such query would be made for each message. */
const ofAllChannels = [
  'dueWork.channelsWithDueWork: aggregate deliveries channelId dueAt',
  'dueWork.channelsWithDueWork: aggregate messages channelId dueAt',
  'dueWork.channelsWithUntakenSends: aggregate messages dueAt epoch',
  'dueWork.dropFinished: find deliveries createdAt isFinished',
  'dueWork.dropFinished: find messages $or createdAt dueAt',
  'idempotency.dropOlder: find idempotency createdAt',
  'keptDeliveries.channels: aggregate deliveries channelId keptSince',
  'media.bytesOf: aggregate media_files accountId blob mimeType',
  'media.dropExpired: find media_files blob expiresAt',
];

/** Asked once by each node when another one is gone. */
const ofOneNode = ['owners: find owners incarnation'];

/** Queries of people: pages and searches over all channels of an account, and messages and deliveries by their ids alone. */
const ofPeople = [
  'deliveryLog.among: find deliveries _id accountId',
  'deliveryLog.channelOf: find deliveries _id accountId',
  'deliveryLog.find: find deliveries _id accountId',
  'deliveryLog.keptAfter: find deliveries $or accountId createdAt keptSince',
  'deliveryLog.list: find deliveries $or accountId createdAt',
  'deliveryLog.list: find deliveries $or accountId createdAt state',
  'deliveryLog.whole: find deliveries _id accountId',
  'messageList.among: find messages _id',
  'messageList.delivered: find deliveries $or accountId createdAt messageType',
  'messageList.delivered: find deliveries $or accountId createdAt messageType person',
  'messageList.people: find deliveries accountId messageType person',
  'messageList.people: find messages accountId recipient',
  'messageList.sent: find messages $or accountId createdAt',
  'messageList.sent: find messages $or accountId createdAt recipient',
  'messageLog.byId: find messages _id',
  // A range of the shard key's first field: the endpoints of one channel, which are on one shard or two.
  'referred.loggedOwners: find deliveries channelId',
];

/** Epochs of one channel, and of several in one command. */
async function useOwners({ owners }: Pick<MongoStore, 'owners'>): Promise<void> {
  const channelIds = [newId(), newId(), newId()];
  const mint = (id: string) => owners.mint(id, { nodeId: 'node', incarnation: 'node:1' }, noon);
  await mint(channelIds[0] ?? '');
  await Promise.all(channelIds.map(mint));
  await owners.lastOwners(channelIds);
  await owners.of(channelIds[0] ?? '');
  await owners.release(channelIds[0] ?? '', 'node:1');
  await owners.ownedBy('node:1');
}

describeWithMongo('shard keys', 'any', (source) => {
  let server: MongoServer;
  let connection: Connection;
  const asked: Asked[] = [];
  /** `useAll` waits for each call, so every command belongs to the latest one. */
  let latest = '';

  beforeAll(async () => {
    server = await MongoServer.start(source);
    connection = await connect(server.freshUri(), 'shards', { monitorCommands: true });
    const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 5_000 });
    await makeIndexes(connection.db, retryPolicy, entities);
    connection.client.on('commandStarted', (event) => asked.push(...listAsked(latest, event)));
    const store = storeOn(connection, retryPolicy);
    await useAll(watched(store, ({ method }) => (latest = method)));
    latest = 'owners';
    await useOwners(store);
  }, 60_000);
  afterAll(async () => {
    await connection.db.dropDatabase();
    await connection.client.close();
    await server.stop();
  }, 60_000);

  test('every query and write of a sharded collection has its shard key, except for sweeps and lists of an account', () => {
    const everywhere = asked.filter(({ collection, ...one }) => {
      const key = shardKeys.get(collection);
      return key !== undefined && !names({ collection, ...one }, key);
    });
    const shown = everywhere.map(
      ({ by, command, collection, of }) =>
        `${by}: ${command} ${collection} ${Object.keys(of).toSorted().join(' ')}`,
    );
    expect([...new Set(shown)].toSorted()).toEqual([...ofAllChannels, ...ofOneNode, ...ofPeople].toSorted());
    for (const collection of shardKeys.keys())
      expect(asked.filter((one) => one.collection === collection).length).toBeGreaterThan(1);
  });

  test('a unique index of a sharded collection begins with its shard key', () => {
    const unique = [...shardKeys].flatMap(([collection, key]) =>
      (indexes[collection] ?? [])
        .filter(({ options }) => options.unique === true)
        .map(({ key: of }) => ({ starts: Object.keys(of).slice(0, key.length), key })),
    );
    expect(unique.length).toBeGreaterThan(0);
    for (const { starts, key } of unique) expect(starts).toEqual(key);
  });

  test('docs/operating/scaling.md has the command for each collection, or the reason why it is not sharded', () => {
    const whole = Object.keys(indexes).filter((name) => !shardKeys.has(name));
    const table = page.slice(page.indexOf('### Collections that are not sharded'));
    expect(whole.filter((name) => !inFilesOnly.has(name) && !table.includes(`\`${name}\``))).toEqual([]);
  });
});
