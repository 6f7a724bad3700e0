/** The columns that a write changes in a file: each changed page costs an fsync, and a column of an index changes its page too. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { operationsOn } from '../../../src/storage/sqlite/operations/index.ts';
import { migrate } from '../../../src/storage/sqlite/schema.ts';
import { openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Database } from '../../../src/storage/sqlite/sqlite.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { packId } from '../../../src/storage/sqlite/packed-ids.ts';
import { aDelivery, aMessage, noon, sealedBytes } from '../conformance/samples.ts';
import { freshDirectory } from './open.ts';
import { tables } from '../../support/stores.ts';

describe('the columns that are written', () => {
  let db: Database;
  let dataDir: string;
  const updates: string[] = [];
  let commit: (...writes: Write[]) => boolean[] | null;
  const message = aMessage(newId());
  const messageId = message.id;
  const delivery = aDelivery(message.channelId);
  beforeAll(async () => {
    dataDir = freshDirectory();
    db = await openWriter(join(dataDir, 'rules.db'));
    migrate(db, tables);
    const recording: Database = {
      exec: (sql) => db.exec(sql),
      close: () => db.close(),
      prepare(sql) {
        const statement = db.prepare<never>(sql);
        if (!sql.startsWith('update')) return statement;
        const run: typeof statement.run = (...values) => {
          updates.push(sql);
          return statement.run(...values);
        };
        const get: typeof statement.get = (...values) => {
          updates.push(sql);
          return statement.get(...values);
        };
        return { ...statement, run, get };
      },
    };
    const operations = operationsOn(recording, tables);
    commit = (...writes) => operations.commit(message.channelId, 1, writes);
    commit({ write: 'insertMessage', message }, { write: 'insertDelivery', delivery });
  });
  afterAll(async () => {
    db.close();
    await rm(dataDir, { recursive: true });
  });

  const updatesOf = (...writes: Write[]): string[] => {
    updates.length = 0;
    commit(...writes);
    return [...updates];
  };

  test('by a repeated fact: none, although it comes later', () => {
    const accepted = { write: 'recordAccepted', messageId, upstreamId: 'up.1', rank: 1, at: noon } as const;
    expect(updatesOf(accepted)).toHaveLength(1);
    expect(updatesOf(accepted, { ...accepted, at: noon + 5 })).toEqual([]);
  });

  test.each([
    ['in its row', 5],
    ['apart', 500],
  ])('by the acceptance of a first claim: what it sets, and a content %s is gone', (_, length) => {
    const content = sealedBytes('x'.repeat(length));
    const first = { ...aMessage(message.channelId), statusAt: null, content };
    const accepted = {
      write: 'recordAccepted',
      messageId: first.id,
      upstreamId: null,
      rank: 1,
      at: noon,
    } as const;
    commit({ write: 'insertMessage', message: first });
    expect(updatesOf({ ...accepted, channelType: 'chatapp' })).toEqual([
      expect.stringMatching(
        /^update messages set state = 'sent',content = null,content_place = null,rank = 1,/,
      ),
    ]);
    const ofRow = db.prepare('select content, content_place from messages where id = ?');
    expect(ofRow.get(packId(first.id))).toEqual({ content: null, content_place: null });
    expect(db.prepare('select count(*) as n from message_contents').get()).toEqual({ n: 0 });
  });

  test('by a status that raises the rank: no column of an index', () => {
    const status = { write: 'recordStatus', messageId, status: 'delivered', upstreamId: 'up.1' } as const;
    expect(updatesOf({ ...status, at: noon + 9 })).toEqual([
      'update messages set rank = ?,delivered_at = ?,status_at = ? where rowid = ?',
    ]);
    expect(updatesOf({ ...status, at: noon + 9 })).toEqual([]);
  });

  test('by a status in turn of an accepted message: the same columns, of a row that is not read', () => {
    const sent = aMessage(message.channelId);
    commit({ write: 'insertMessage', message: sent });
    commit({ write: 'recordAccepted', messageId: sent.id, upstreamId: 'up.2', rank: 1, at: noon });
    const reported = { write: 'recordStatus', messageId: sent.id, upstreamId: 'up.2', at: noon + 9 } as const;
    expect(updatesOf({ ...reported, channelType: 'chatapp', status: 'delivered' })).toEqual([
      expect.stringMatching(
        /^update messages set rank = 2,delivered_at = \?,status_at = max\(.*\) where id = \?/,
      ),
    ]);
  });

  test('by a claim under the stored epoch: none', () => {
    const claim = { write: 'claimDelivery', deliveryId: delivery.id, attempts: 0, claims: 0 } as const;
    expect(updatesOf(claim)).toEqual([]);
    expect(commit(claim)).toEqual([true]);
  });
});
