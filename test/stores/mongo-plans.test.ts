/** Every query of the MongoDB store uses an index. The test records the queries that the store itself makes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Collection, Db, Document } from 'mongodb';
import { connect } from '../../src/storage/mongo/connection.ts';
import type { Connection } from '../../src/storage/mongo/connection.ts';
import { indexesOf, makeIndexes } from '../../src/storage/mongo/indexes.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { useAll } from './use-all.ts';
import { entities } from '../../src/features/entities.ts';
import { storeOn } from '../support/mongo-stores.ts';

const indexes = indexesOf(entities);

interface Asked {
  collection: string;
  filter: Document;
  sort: Document;
  hint?: string;
}

const asking = new Set([
  'find',
  'findOne',
  'findOneAndUpdate',
  'updateOne',
  'updateMany',
  'deleteOne',
  'deleteMany',
  'countDocuments',
]);

/** A database that records every query. */
function recording(db: Db, asked: Asked[]): Db {
  const collectionOf = (name: string): Collection =>
    new Proxy(db.collection(name), {
      get(collection, method) {
        const called: unknown = Reflect.get(collection, method, collection);
        if (typeof called !== 'function') return called;
        return (...args: Document[]): unknown => {
          const { sort = {}, hint } = args[1] ?? {};
          const one: Asked = { collection: name, filter: args[0] ?? {}, sort, hint };
          if (asking.has(String(method))) asked.push(one);
          if (method === 'aggregate') asked.push(firstStages(name, args));
          const result: unknown = Reflect.apply(called, collection, args);
          return method === 'find' ? sorting(result, one) : result;
        };
      },
    });
  return new Proxy(db, {
    get: (_, key) => (key === 'collection' ? collectionOf : bound(db, Reflect.get(db, key, db))),
  });
}

function firstStages(collection: string, [pipeline, options]: Document[]): Asked {
  const [match, sort] = Array.isArray(pipeline) ? pipeline : [];
  return { collection, filter: match?.$match ?? {}, sort: sort?.$sort ?? {}, hint: options?.['hint'] };
}

function sorting(cursor: unknown, asked: Asked): unknown {
  return new Proxy(Object(cursor), {
    get: (target, key) =>
      key === 'sort'
        ? (sort: Document) => {
            asked.sort = sort;
            target.sort(sort);
            return target;
          }
        : bound(target, Reflect.get(target, key, target)),
  });
}

function bound(owner: unknown, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(owner) : value;
}

/** The names of a plan's stages, and of the indexes that it reads. */
function stagesOf(plan: unknown): { stages: string[]; used: string[] } {
  const stages: string[] = [];
  const used: string[] = [];
  JSON.stringify(plan, (key, value: unknown) => {
    if (key === 'stage' && typeof value === 'string') stages.push(value);
    if (key === 'indexName' && typeof value === 'string') used.push(value);
    return value;
  });
  return { stages, used };
}

describeWithMongo('plans of the MongoDB store', 'any', (source) => {
  let server: MongoServer;
  let connection: Connection;
  const asked: Asked[] = [];
  const plans = new Map<Asked, { stages: string[]; used: string[] }>();

  beforeAll(async () => {
    server = await MongoServer.start(source);
    connection = await connect(server.freshUri(), 'plans');
    const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 5_000 });
    await makeIndexes(connection.db, retryPolicy, entities);
    const store = storeOn({ ...connection, db: recording(connection.db, asked) }, retryPolicy);
    await useAll(store);
    await store.owners.of(newId());
    await store.owners.ownedBy('node:1');
    for (const query of asked) {
      const { collection, ...find } = query;
      const explained = await connection.db.command(
        { explain: { find: collection, ...find }, verbosity: 'queryPlanner' },
        { ignoreUndefined: true },
      );
      plans.set(query, stagesOf(explained['queryPlanner']?.['winningPlan']));
    }
  }, 60_000);
  afterAll(async () => {
    await connection.db.dropDatabase();
    await connection.client.close();
    await server.stop();
  }, 60_000);

  const shown = ({ collection, filter, sort }: Asked): string =>
    `${collection}: ${JSON.stringify({ filter, sort })}`;

  test('no query reads a whole collection', () => {
    const scans = asked.filter((query) => plans.get(query)?.stages.includes('COLLSCAN') === true);
    // An operator's list of all mails in order reads the whole collection by design.
    expect(scans.map(shown).filter((each) => !each.startsWith('mails: {"filter":{}'))).toEqual([]);
    expect(asked.length).toBeGreaterThan(40);
  });

  test('no query of messages or deliveries sorts, because its index has the order', () => {
    const hot = asked.filter(
      ({ collection, sort }) =>
        ['messages', 'deliveries'].includes(collection) && Object.keys(sort).length > 0,
    );
    expect(hot.length).toBeGreaterThan(1);
    expect(hot.filter((query) => plans.get(query)?.stages.includes('SORT') === true).map(shown)).toEqual([]);
  });

  test('open work of a channel is read along its own indexes, however long the history of the channel is', () => {
    const open = asked.filter(
      ({ collection, filter }) =>
        ['messages', 'deliveries'].includes(collection) &&
        Object.hasOwn(filter, 'channelId') &&
        Object(filter['dueAt']).$gte === 0,
    );
    const others = open.flatMap((query) =>
      (plans.get(query)?.used ?? []).filter(
        (name) => !['open', 'untaken', 'pending', 'in_order'].includes(name),
      ),
    );
    expect(others).toEqual([]);
    expect(open.length).toBeGreaterThan(3);
  });

  test('every index is used by a query, or enforces uniqueness', () => {
    const used = new Set(
      asked.flatMap((query) => (plans.get(query)?.used ?? []).map((name) => `${query.collection}.${name}`)),
    );
    const toFind = Object.entries(indexes).flatMap(([collection, made]) =>
      made.filter(({ options }) => options?.unique !== true).map(({ name }) => `${collection}.${name}`),
    );
    expect(toFind.filter((name) => !used.has(name))).toEqual([]);
  });
});
