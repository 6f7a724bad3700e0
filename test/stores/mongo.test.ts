import { afterAll, beforeAll } from '@jest/globals';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { describeStore } from './conformance/index.ts';
import type { OpenStore } from './conformance/index.ts';
import { openMongo } from './mongo/open.ts';

async function openFresh(server: MongoServer | undefined): Promise<OpenStore> {
  if (server === undefined) throw new Error('no server was started');
  return openMongo(server.freshUri());
}

describeWithMongo('MongoDB', 'any', (source) => {
  let server: MongoServer | undefined;
  beforeAll(async () => {
    server = await MongoServer.start(source);
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  describeStore('MongoDB store', () => openFresh(server));
});

describeWithMongo('MongoDB without a replica set', 'own', (source) => {
  let server: MongoServer | undefined;
  beforeAll(async () => {
    server = await MongoServer.start(source, { standalone: true });
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  describeStore('MongoDB store, standalone', () => openFresh(server));
});
