import { afterAll, beforeAll } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../src/adapters/storage/mongo/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { describeStore } from './conformance/index.ts';
import type { OpenStore } from './conformance/index.ts';

/** An empty store; its database goes with `close`. */
async function openFresh(server: MongoServer | undefined): Promise<OpenStore> {
  if (server === undefined) throw new Error('no server was started');
  const uri = server.freshUri();
  const store = await openMongoStore({ uri, log: silentLog, clock: systemClock });
  const owner = { nodeId: 'node-1', incarnation: 'session-1' };
  return {
    ...store,
    ownership: {
      mintEpoch: async (channelId) => (await store.owners.mint(channelId, owner, 0)).epoch,
    },
    async close() {
      await store.close();
      const client = new MongoClient(uri);
      await client.db().dropDatabase();
      await client.close();
    },
  };
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
