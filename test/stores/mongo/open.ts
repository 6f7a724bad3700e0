import { MongoClient } from 'mongodb';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { OpenStore } from '../conformance/index.ts';
import { openMongoStore } from '../../support/mongo-stores.ts';

/** A store on this database, which `close` drops. */
export async function openMongo(uri: string): Promise<OpenStore> {
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
