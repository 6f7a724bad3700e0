/** What the product requires of any MongoDB, tested on the tests' own server: the stand-in provides it through its bridge. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { Collection } from 'mongodb';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';

interface Counted {
  _id: string;
  held?: string[];
  n?: number;
}

const atOnce = 20;

describeWithMongo('the MongoDB of the tests', 'any', (source) => {
  let server: MongoServer;
  let client: MongoClient;
  let counted: Collection<Counted>;
  beforeAll(async () => {
    server = await MongoServer.start(source);
    client = new MongoClient(server.freshUri(), { minPoolSize: atOnce, maxConnecting: atOnce });
    counted = client.db().collection('counted');
    await counted.createIndex(
      { held: 1 },
      { name: 'held', unique: true, partialFilterExpression: { held: { $exists: true } } },
    );
  }, 60_000);
  afterAll(async () => {
    await client.db().dropDatabase();
    await client.close();
    await server.stop();
  }, 60_000);

  test('a unique value that was inserted is refused to others, and free once an update removes it', async () => {
    await counted.insertMany([{ _id: 'first', held: ['a'] }, { _id: 'none' }]);
    const taken = { code: 11000, message: expect.stringContaining('index: held') };
    await expect(counted.insertOne({ _id: 'second', held: ['a'] })).rejects.toMatchObject(taken);
    expect(await counted.findOne({ _id: 'second' })).toBeNull();
    await counted.updateOne({ _id: 'first' }, { $set: { held: ['b'] } });
    await counted.insertOne({ _id: 'second', held: ['a'] });
    const all = await counted.find({ held: { $exists: true } }).toArray();
    expect(new Map(all.map(({ _id, held }) => [_id, held]))).toEqual(
      new Map([
        ['first', ['b']],
        ['second', ['a']],
      ]),
    );
  });

  test('so is one that every document must have', async () => {
    const named = client.db().collection<{ _id: string; name: string }>('named');
    await named.createIndex({ name: 1 }, { unique: true });
    await named.insertMany(['a', 'b'].map((name) => ({ _id: name, name })));
    await expect(named.insertOne({ _id: 'c', name: 'a' })).rejects.toMatchObject({ code: 11000 });
    await named.updateOne({ _id: 'a' }, { $set: { name: 'c' } });
    await named.insertOne({ _id: 'c', name: 'a' });
    expect((await named.distinct('name')).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('of many documents in one insert, the refused ones are reported by their index', async () => {
    const documents = ['x', 'y', 'x', 'z'].map((value, at) => ({ _id: `many-${at}`, held: [value] }));
    const refused = counted.insertMany(documents, { ordered: false });
    await expect(refused).rejects.toMatchObject({
      insertedCount: 3,
      writeErrors: [{ index: 2, code: 11000 }],
    });
  });

  test('concurrent upserts of one document each return what they left', async () => {
    const add = { $inc: { n: 1 } };
    for (const _id of Array.from({ length: 20 }, (_, at) => `one-${at}`)) {
      const told = await Promise.all(
        Array.from({ length: atOnce }, (_, at) =>
          at % 4 === 0
            ? counted.bulkWrite([{ updateOne: { filter: { _id }, update: add, upsert: true } }])
            : counted.findOneAndUpdate({ _id }, add, { upsert: true, returnDocument: 'after' }),
        ),
      );
      const counts = told.flatMap((answer) => (answer !== null && '_id' in answer ? [answer.n] : []));
      expect(new Set(counts).size).toBe((atOnce * 3) / 4);
      expect(await counted.findOne({ _id })).toEqual({ _id, n: atOnce });
    }
  });
});
