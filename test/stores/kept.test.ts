/** Data of an earlier build is read unchanged: a file of SQLite, and a database of MongoDB. [operating/upgrade] */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BSON, MongoClient } from 'mongodb';
import type { Document } from 'mongodb';
import { settingsAtFirst } from '../../src/rules/channels/settings.ts';
import { openWriter } from '../../src/storage/sqlite/sqlite.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { AccountWordsBackfill } from '../../src/features/accounts/account-words.ts';
import { closeAfterEach } from '../support/closing.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { freshDirectory, openFresh, openIn } from './embedded/open.ts';
import { fill, read } from './kept/fill.ts';
import { openMongo } from './mongo/open.ts';

const kept = (name: string): Promise<string> => readFile(new URL(`./kept/${name}`, import.meta.url), 'utf8');
const everything = async (): Promise<unknown> => JSON.parse(await kept('read.json'), withLaterFields);

/** Later fields as items of an earlier build are read with them, by a field that only this sort of item has. */
const laterFields: Readonly<Record<string, object>> = {
  echoStatuses: { ...settingsAtFirst, hasEndpoints: false },
  homeSince: { stepSecret: null, stepUsed: null, stepSince: null, mailTopics: null },
  personId: { address: null, agent: null, seenAt: null, email: null },
  suspendedAt: { suspendedWhy: null, note: null },
  failingSince: { accountId: null },
  claims: { person: null, sequence: null },
  lastResult: { endpointId: null },
  redirectUri: { ending: null },
  lastFour: { scopes: null, endsAt: null, lastUsedFrom: null },
  lines: { gathersUntil: 0 },
};

function withLaterFields(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const sort = Object.keys(laterFields).find((field) => field in value);
  return sort === undefined ? value : { ...laterFields[sort], ...value };
}

/** What this build writes with another value than an item of an earlier build is read with. */
async function asWrittenNow(): Promise<unknown> {
  return JSON.parse(JSON.stringify(await everything()), (_key, value: unknown) =>
    isDigest(value) ? { ...value, gathersUntil: value.sendAfter } : value,
  );
}

function isDigest(value: unknown): value is { sendAfter: number } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sendAfter' in value &&
    'kind' in value &&
    value.kind === 'delivery-digest'
  );
}

const closeLater = closeAfterEach();
/** Closes it after the test, whether it passed or failed. */
async function opened<S extends { close(): Promise<void> }>(opening: Promise<S>): Promise<S> {
  const store = await opening;
  closeLater(() => store.close());
  return store;
}

describe('a file of an earlier build', () => {
  // The second file has payloads in their own table, and ids as texts.
  test.each(['sqlite.sql', 'sqlite-5.sql'])('is read unchanged: %s', async (name) => {
    const dataDir = freshDirectory();
    closeLater(() => rm(dataDir, { recursive: true }));
    const db = await openWriter(join(dataDir, 'trunkline.db'));
    db.exec(await kept(name));
    db.close();
    const store = await opened(openIn(dataDir));
    expect(await read(store)).toEqual(await everything());
  });

  test('gets the index of account words from a few runs of the job', async () => {
    const dataDir = freshDirectory();
    closeLater(() => rm(dataDir, { recursive: true }));
    const db = await openWriter(join(dataDir, 'trunkline.db'));
    db.exec(await kept('sqlite.sql'));
    db.close();
    const { stores } = await opened(openIn(dataDir));
    expect(await stores.accountWords.beginning('ada', 10)).toEqual([]);
    const looks = () => new AccountWordsBackfill({ stores, clock: systemClock, log: silentLog });
    const first = looks();
    for (let look = 0; look < 3; look += 1) await first.run();
    expect(await stores.accountWords.isComplete()).toBe(true);
    const [found] = await stores.accountWords.beginning('ada', 10);
    expect(found?.accountId).toBe('account-1');
    const numbers = await stores.accountWords.beginning('1555', 10);
    expect(numbers.map(({ accountId }) => accountId)).toContain('account-1');
    await looks().run(); // a finished index is not built again
  });

  test('holds the same as this build would write', async () => {
    const store = await opened(openFresh());
    await fill(store);
    expect(await read(store)).toEqual(await asWrittenNow());
  });
});

interface KeptCollection {
  indexes: { name: string; key: Record<string, 1 | -1> }[];
  documents: Document[];
}

describeWithMongo('a database of an earlier build', 'any', (source) => {
  let server: MongoServer;
  beforeAll(async () => {
    server = await MongoServer.start(source);
  }, 60_000);
  afterAll(() => server.stop(), 60_000);

  test('is read unchanged', async () => {
    const uri = server.freshUri();
    const client = new MongoClient(uri);
    const collections: Record<string, KeptCollection> = BSON.EJSON.parse(await kept('mongo.json'));
    for (const [name, { indexes, documents }] of Object.entries(collections)) {
      if (indexes.length > 0) await client.db().collection(name).createIndexes(indexes);
      if (documents.length > 0) await client.db().collection(name).insertMany(documents);
    }
    await client.close();
    const store = await opened(openMongo(uri));
    expect(await read(store)).toEqual(await everything());
  });

  test('holds the same as this build would write', async () => {
    const store = await opened(openMongo(server.freshUri()));
    await fill(store);
    expect(await read(store)).toEqual(await asWrittenNow());
  });
});
