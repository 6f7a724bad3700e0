/** Earlier versions could store a key's pattern more than once: such a store opens, and one removal removes every duplicate. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { connect } from '../../src/storage/mongo/connection.ts';
import { entities } from '../../src/features/entities.ts';
import { Items } from '../../src/storage/mongo/items.ts';
import { makeIndexes } from '../../src/storage/mongo/indexes.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { openWriter } from '../../src/storage/sqlite/sqlite.ts';
import { Table } from '../../src/storage/sqlite/table.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { aRedirect, noon } from './conformance/samples.ts';
import { freshDirectory, openIn } from './embedded/open.ts';
import { storeOn } from '../support/mongo-stores.ts';
import type { RedirectStore } from '../../src/features/redirects/store.ts';
import { redirects as redirectEntity } from '../../src/features/redirects/entity.ts';

const apiKeyId = newId();
const uriPattern = 'https://par.example/cb';
const twins = [0, 1, 2].map((i) => aRedirect(newId(), apiKeyId, { uriPattern, createdAt: noon + i }));

async function expectOneRemovalEndsAll(redirects: RedirectStore): Promise<void> {
  expect(await redirects.add(aRedirect(newId(), apiKeyId, { uriPattern }), 3)).toEqual(twins[0]);
  expect(await redirects.remove(twins[1]?.id ?? '', apiKeyId)).toEqual(twins[1]);
  expect((await redirects.list(apiKeyId, { limit: null, cursor: null })).items).toEqual([]);
}

test('duplicates in a data directory', async () => {
  const dataDir = freshDirectory();
  await (await openIn(dataDir)).close();
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  const insert = new Table(redirectEntity)
    .pick('id', 'accountId', 'apiKeyId', 'uriPattern', 'createdAt')
    .insert(db);
  for (const twin of twins) insert(twin);
  db.close();
  const store = await openIn(dataDir);
  await expectOneRemovalEndsAll(store.stores.redirects);
  await store.close();
  await rm(dataDir, { recursive: true });
}, 60_000);

describeWithMongo('duplicates in MongoDB', 'any', (source) => {
  test('the indexes can be built', async () => {
    const server = await MongoServer.start(source);
    const connection = await connect(server.freshUri(), 'twins');
    const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 8_000 });
    const redirects = new Items(redirectEntity);
    const documents = twins.map((twin, place) =>
      redirects.toDocument({ ...twin, place, uniquePattern: null }),
    );
    await connection.db.collection<(typeof documents)[number]>('redirects').insertMany(documents);
    await makeIndexes(connection.db, retryPolicy, entities);
    const store = storeOn(connection, retryPolicy);
    await expectOneRemovalEndsAll(store.stores.redirects);
    await store.close();
    await server.stop();
  }, 60_000);
});
