/** Which collections can be sharded: a query for each message must go to one shard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CommandStartedEvent, Document } from 'mongodb';
import type { Write } from '../../actors/channel/ports/writes.ts';
import { connect } from '../../src/adapters/storage/mongo/connection.ts';
import type { Connection } from '../../src/adapters/storage/mongo/connection.ts';
import { storeOn } from '../../src/adapters/storage/mongo/index.ts';
import { indexes, makeIndexes } from '../../src/adapters/storage/mongo/indexes.ts';
import { RetryPolicy } from '../../src/adapters/storage/mongo/retry-policy.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { accepted } from './conformance/certain.ts';
import { aDelivery, aMessage, noon } from './conformance/samples.ts';
import { useAll } from './use-all.ts';

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
  command: string;
  collection: string;
  of: Document;
  isUpsert: boolean;
}

function listAsked({ commandName: name, command }: CommandStartedEvent): Asked[] {
  const collection = String(command[name]);
  const all = (list: Document[] = [], of: (each: Document) => Document): Asked[] =>
    list.map((each) => ({ command: name, collection, of: of(each), isUpsert: each['upsert'] === true }));
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
  'aggregate deliveries channelId keptSince',
  'aggregate deliveries dueAt',
  'aggregate messages dueAt',
  'aggregate messages dueAt epoch',
  'delete media_files blob expiresAt',
  'find deliveries createdAt isFinished',
  'find idempotency createdAt',
  'find media_files blob expiresAt',
  'find messages createdAt dueAt',
];

/** Queries of people: pages over all channels of an account, and one message or its delivery by its id alone. */
const ofAnAccount = [
  'find deliveries $or accountId createdAt messageType',
  'find deliveries $or accountId createdAt messageType person',
  'find deliveries _id',
  'find messages $or accountId createdAt',
  'find messages $or accountId createdAt recipient',
  'find messages _id',
];

/** What useAll does not do: the writes of a send and of a delivery after their inserts. */
async function useJournal({ channelState, owners, stores }: ReturnType<typeof storeOn>): Promise<void> {
  const channelId = newId();
  await owners.mint(channelId, { nodeId: 'node', incarnation: 'node:1' }, noon);
  const message = aMessage(channelId, { copies: 0, tries: 0, state: 'queued', nextTryAt: noon });
  const delivery = aDelivery(channelId);
  const { id: messageId } = message;
  const attempt = { attempts: 2, firstTriedAt: noon, nextDueAt: noon, lastResult: '500', attemptLog: null };
  const commits: Write[][] = [
    [
      { write: 'insertMessage', message },
      { write: 'insertDelivery', delivery },
    ],
    [{ write: 'claimCopy', messageId, expect: { copies: 0, tries: 0 }, attemptedAt: noon }],
    [{ write: 'claimDelivery', deliveryId: delivery.id, attempts: delivery.attempts, claims: 1 }],
    [{ write: 'recordAttempt', deliveryId: delivery.id, attempt: { ...attempt, state: 'pending' } }],
    [{ write: 'recordAttempt', deliveryId: delivery.id, attempt: { ...attempt, state: 'delivered' } }],
    [accepted(messageId)],
    [{ write: 'recordStatus', messageId, status: 'read', upstreamId: null, at: noon }],
    [{ write: 'recordFailed', messageId, error: 'e', errorCode: 1, at: noon }],
  ];
  for (const writes of commits) await channelState.commit(channelId, 1, writes);
  const record = { accountId: newId(), key: 'k', bodyHash: 'h', messageId, answer: null, createdAt: noon };
  await stores.idempotency.begin(record, noon);
  await stores.idempotency.begin(record, noon);
  await stores.idempotency.answered(record, { status: 200 });
}

describeWithMongo('shard keys', 'any', (source) => {
  let server: MongoServer;
  let connection: Connection;
  const asked: Asked[] = [];

  beforeAll(async () => {
    server = await MongoServer.start(source);
    connection = await connect(server.freshUri(), 'shards', { monitorCommands: true });
    const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 5_000 });
    await makeIndexes(connection.db, retryPolicy);
    connection.client.on('commandStarted', (event) => asked.push(...listAsked(event)));
    const store = storeOn(connection, retryPolicy);
    await useAll(store);
    await useJournal(store);
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
      ({ command, collection, of }) => `${command} ${collection} ${Object.keys(of).toSorted().join(' ')}`,
    );
    expect([...new Set(shown)].toSorted()).toEqual([...ofAllChannels, ...ofAnAccount].toSorted());
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
