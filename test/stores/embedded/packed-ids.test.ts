/** Ids are packed in a file, read back unchanged, and found although an earlier build wrote them as texts. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packId, packIdSql, packToBind, unpackId } from '../../../src/storage/sqlite/packed-ids.ts';
import { databaseClass, openReader, openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Value } from '../../../src/storage/sqlite/sqlite.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { freshDirectory, openIn } from './open.ts';

const closing = closeAfterEach();

const uuid = '01a212d7-e85c-7f09-a41e-12cc18ca799f';
const asBytes = Uint8Array.from(Buffer.from('01a212d7e85c7f09a41e12cc18ca799f', 'hex'));
/** Each differs from one of our UUIDs in one property. */
const others = [
  '',
  'message-1',
  'abcd',
  '01A212D7-e85c-7f09-a41e-12cc18ca799f',
  '01a212d7-e85c-7f09-a41e-12cc18ca799g',
  '01a212d7-e85c-7f09-a41e-12cc18ca799é',
  '01a212d7-e85c-7f09-a41e-12cc18ca-99f',
  '01a212d7ee85c-7f09-a41e-12cc18ca799f',
  '01a212d7e85c7f09a41e12cc18ca799f',
  '01a212d7-e85c-7f09-a41e-12cc18ca799f0',
];

test('a UUID is packed into sixteen bytes, any other text is kept; both are read back unchanged', () => {
  expect(packId(uuid)).toEqual(asBytes);
  expect(unpackId(asBytes)).toBe(uuid);
  expect(others.map(packId)).toEqual(others);
  expect([packToBind(uuid), others.map(packToBind)]).toEqual([asBytes, others]);
  expect(others.map(unpackId)).toEqual(others);
});

test('packed ids keep their bytes while a statement is bound: the last 256 are each their own', () => {
  const ids = Array.from({ length: 256 }, newId);
  const packed = ids.map(packToBind);
  expect(packed.map((bytes) => (typeof bytes === 'string' ? bytes : unpackId(bytes)))).toEqual(ids);
});

test('only what binds at once, without an `await` between, packs into shared bytes', () => {
  const folder = join(import.meta.dirname, '../../../src');
  const users = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && readFileSync(join(folder, path), 'utf8').includes('packToBind'),
  );
  expect(users.map((path) => path.replace('storage/sqlite/', '')).toSorted()).toEqual([
    'column-types.ts',
    'operations/commit.ts',
    'operations/likely.ts',
    'operations/messages.ts',
    'operations/rules.ts',
    'packed-ids.ts',
  ]);
});

test('SQL packs in the same way as the program', async () => {
  const db = new (await databaseClass())(':memory:');
  closing(() => db.close());
  const packed = db.prepare<{ id: Value }>(`select ${packIdSql('value')} as id from json_each(?)`);
  const all = [uuid, newId(), ...others];
  expect(packed.all(JSON.stringify(all)).map(({ id }) => id)).toEqual(all.map(packId));
});

test('bytes have the order of their texts', () => {
  const ids = ['f', '0', '9', 'a'].map((digit) => digit + uuid.slice(1));
  const packed = ids.map((id) => Buffer.from(packId(id)));
  expect(packed.toSorted((a, b) => a.compare(b)).map(unpackId)).toEqual(ids.toSorted());
});

test('what an earlier build wrote with text ids is found by packed ids, in the order of its arrival', async () => {
  const dataDir = freshDirectory();
  closing(() => rm(dataDir, { recursive: true }));
  const [channelId, later, first, deliveryId] = [newId(), newId(), newId(), newId()];
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  db.exec(await readFile(new URL('./schema-2.sql', import.meta.url), 'utf8'));
  const message = (id: string): string =>
    `('${id}', '${channelId}', 'a', 'chatapp', 'service', '4917', 'queued', 0, 0, 1, 2, 3, null, '["up.${id}"]', null, null, 1, 4, null, x'2a')`;
  db.exec(`
    insert into messages values ${message(first)}, ${message(later)};
    insert into message_upstream_ids values ('${channelId}', 'up.${later}', '${later}');
    insert into deliveries values
      ('${deliveryId}', '${channelId}', 'a', 'message.read', '${first}', 'pending', 0, null, 5, null, 1, 4, x'2b');`);
  db.close();

  const store = await openIn(dataDir);
  const { openMessages, deliveries } = await store.channelState.load(channelId, 2, 0, 10);
  expect(openMessages.map(({ id }) => id)).toEqual([first, later]);
  expect(deliveries.map(({ id, messageId }) => [id, messageId])).toEqual([[deliveryId, first]]);
  const found = await store.channelState.findMessages(channelId, {
    ids: [first],
    upstreamIds: [`up.${later}`],
  });
  expect(found.map(({ id }) => id)).toEqual([first, later]);
  expect(await store.channelState.findDeliveries(channelId, [deliveryId, later])).toEqual([deliveryId]);
  await store.close();

  const after = await openReader(join(dataDir, 'trunkline.db'));
  closing(() => after.close());
  const types = after.prepare(`
    select distinct typeof(id) as id, typeof(channel_id) as channel, typeof(account_id) as account from messages`);
  expect(types.all()).toEqual([{ id: 'blob', channel: 'blob', account: 'text' }]);
});
