/** [faults: 420] More facts than a command takes: those of one document are written in order, whichever commands fall back. */
import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Commands } from '../../src/storage/mongo/commands.ts';
import { factAll } from '../../src/storage/mongo/facts.ts';
import type { Placed } from '../../src/storage/mongo/placed.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { RuledUpdate } from '../../src/storage/mongo/ruled-updates.ts';
import { silentLog } from '../support/silent-log.ts';

const of = {
  work: { inserts: [], claims: [], facts: [], drops: [] },
  bytes: 0,
  deadline: Infinity,
  result: { inserted: [], claimed: [], made: [] },
  open: 1,
  failure: null,
  resolve: () => undefined,
  reject: () => undefined,
};
const factOf = (id: string, value: number, at: number): Placed<RuledUpdate> => ({
  write: new RuledUpdate(id, 'c', {}, [{ does: 'set', member: 'value', value }]),
  of,
  at,
});

test('a slice that a statement for each form does not write as a whole is written before the next slice', async () => {
  const facts = [
    factOf('twice', 1, 0),
    ...Array.from({ length: 300 }, (_, at) => factOf(`m-${at}`, 0, at + 1)),
    factOf('twice', 2, 301),
  ];
  /** Of the document that is changed twice: the statement for many and each value. */
  const written: string[] = [];
  const commands: Commands = {
    async update(statements) {
      let n = 0;
      for (const { q, u, multi } of statements) {
        const text = JSON.stringify([q, u]);
        n += multi === true ? Number(q['_id'].$in.length) : 1;
        if (text.includes('"twice"'))
          written.push(multi === true ? 'with others' : `alone ${JSON.stringify(u)}`);
      }
      const isFirst = written.length === 1;
      // A sharded cluster misses one.
      return { n: isFirst ? n - 1 : n, writeErrors: [], upserted: [] };
    },
    insert: () => Promise.reject(new Error('not asked for')),
    remove: () => Promise.reject(new Error('not asked for')),
    tokens: () => Promise.reject(new Error('not asked for')),
  };
  const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 1_000 });
  await factAll({ name: 'messages', commands, retryPolicy }, facts);
  expect(written).toEqual(['with others', 'alone {"$set":{"value":1}}', 'with others']);
});
