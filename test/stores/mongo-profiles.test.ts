/** Documents from before profiles existed are read as if they had been written with one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { openMongoStore } from '../support/mongo-stores.ts';

const common = {
  accountId: 'a',
  isActive: true,
  echoStatuses: false,
  version: 7,
  createdAt: 1,
  connectedAt: 1,
};
const flat = [
  {
    ...common,
    _id: 'c1',
    channelType: 'chatapp',
    phoneNumberId: '42',
    phoneNumber: '+1 555',
    businessAccountId: '31',
    isDualUse: true,
  },
  {
    ...common,
    _id: 'c2',
    channelType: 'photoapp',
    photoappAccountId: '17',
    photoappUsername: 'shop',
    pageId: '52',
    isDualUse: false,
  },
  { ...common, _id: 'c3', channelType: 'pagechat', pageId: '52', isDualUse: false },
  { ...common, _id: 'c4', channelType: 'pagechat', isDualUse: false },
];

describeWithMongo('channels from before profiles', 'any', (source) => {
  let server: MongoServer | undefined;
  beforeAll(async () => {
    server = await MongoServer.start(source);
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  test('have a profile once a store is opened, and keep everything else', async () => {
    const uri = server?.freshUri() ?? '';
    const client = new MongoClient(uri);
    const documents = client.db().collection<(typeof flat)[number]>('channels');
    await documents.insertMany(flat);
    const store = await openMongoStore({ uri, log: silentLog, clock: systemClock });
    const { items } = await store.stores.channels.list('a', { limit: null, cursor: null });
    const shop = { type: 'photoapp', accountId: '17', username: 'shop', pageId: '52' };
    const number = { type: 'chatapp', phoneNumberId: '42', phoneNumber: '+1 555', businessAccountId: '31' };
    expect(items.map(({ profile, subscribedAsset }) => [profile, subscribedAsset])).toEqual([
      [{ ...number, qualityRating: null, isDualUse: true }, '31'],
      [shop, '52'],
      [{ type: 'pagechat', pageId: '52' }, '52'],
      [null, null],
    ]);
    expect(await store.stores.channels.countActiveOn('52')).toBe(2);
    expect(await documents.findOne({ _id: 'c4' })).toEqual({ ...common, _id: 'c4', channelType: 'pagechat' });
    await store.close();
    await client.db().dropDatabase();
    await client.close();
  });
});
