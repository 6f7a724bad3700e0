/** [architecture §7] The store of a cluster on both topologies: a standalone server runs the tests whose result may differ there. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from '../../src/storage/mongo/connection.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { describeConcerns, describeStore } from './conformance/index.ts';
import type { OpenStore } from './conformance/index.ts';
import { openMongo } from './mongo/open.ts';

async function openFresh(server: MongoServer | undefined): Promise<OpenStore> {
  if (server === undefined) throw new Error('no server was started');
  return openMongo(server.freshUri());
}

/** The concerns of writes, and of the reads on which a decision depends. */
async function concernsOf(server: MongoServer | undefined): Promise<unknown> {
  if (server === undefined) throw new Error('no server was started');
  const { client, writeConcern, safely } = await connect(server.freshUri(), 'concerns');
  await client.close();
  return [writeConcern.w, writeConcern.j, safely.readConcern.level];
}

describeWithMongo('MongoDB', 'any', (source) => {
  let server: MongoServer | undefined;
  beforeAll(async () => {
    server = await MongoServer.start(source);
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  test('a replica set is used with majority concerns', async () => {
    expect(await concernsOf(server)).toEqual(['majority', true, 'majority']);
  });

  describeStore('MongoDB store', () => openFresh(server));
});

describeWithMongo('MongoDB without a replica set', 'own', (source) => {
  let server: MongoServer | undefined;
  beforeAll(async () => {
    server = await MongoServer.start(source, { standalone: true });
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  test('a standalone server is used without majority concerns', async () => {
    expect(await concernsOf(server)).toEqual([1, true, 'local']);
  });

  describeConcerns('MongoDB store, standalone', () => openFresh(server));
});
