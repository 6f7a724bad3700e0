/** [faults: 161] A mail of a file from before lines were counted: it has any number of lines, and no reader loads them all. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { freshDirectory, openIn } from './open.ts';

const closing = closeAfterEach();
const lines = 45_000;

async function storeWithLongMail() {
  const dataDir = freshDirectory();
  closing(() => rm(dataDir, { recursive: true }));
  await (await openIn(dataDir)).close();
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  const id = newId();
  db.prepare(
    `insert into mails (id, account_id, kind, subject, send_after, created_at, lines_left_out)
     values (?, 'account', 'webhook-alert', 'given up', 1, 1, 0)`,
  ).run(id);
  db.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${lines})
     insert into mail_lines select ?, i, 'channel ' || i from n`,
  ).run(id);
  db.close();
  const store = await openIn(dataDir);
  closing(() => store.close());
  return { id, store };
}

test('it is read with its first lines, accepts no more, and is erased in batches', async () => {
  const { id, store } = await storeWithLongMail();
  const { mails } = store.stores;
  expect(await mails.due(1, 10)).toEqual([id]);
  expect((await mails.unsent(id))?.lines).toHaveLength(120);
  const { items } = await mails.list(null, { limit: null, cursor: null });
  expect(items.map((mail) => mail.lines.length)).toEqual([120]);

  const late = {
    id,
    accountId: 'account',
    kind: 'webhook-alert',
    subject: '',
    opening: [],
    line: 'late',
  } as const;
  await store.channelState.commit(newId(), 1, [
    { write: 'addMail', mail: { ...late, sendAfter: 1, createdAt: 1 } },
  ]);
  expect((await mails.unsent(id))?.lines.at(-1)).toBe('… and 1 more like these');

  expect(await mails.dropOlder(2, 'reconnect')).toBe(1);
  expect(await mails.list(null, { limit: null, cursor: null })).toEqual({ items: [], nextCursor: null });
});
