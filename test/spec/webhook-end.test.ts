/** [spec: Hard deadline, Payload storage; faults: 62, I10] The end of a delivery, and what the store keeps of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from '@jest/globals';
import { packId } from '../../src/storage/sqlite/packed-ids.ts';
import { mailsOf, newPerson } from '../support/sends.ts';
import { everythingStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const pending = async (world: World, channel: Channel): Promise<number> =>
  (await world.service.admin('GET', `/channels/${channel.id}`)).body.deliveries_pending;

describe('hard deadline', () => {
  test('no attempt is made after it; the delivery is marked permanently failed, with the alert', async () => {
    const world = await World.open({
      WEBHOOK_RETRY_DELAYS_MS: '50,50,10000,10000,10000,10000,10000',
      WEBHOOK_DEADLINE_MS: '5000',
    });
    try {
      const account = await newAccount(world.service);
      const channel = await world.connect(account, 'pagechat');
      world.inbox.answerAlways(500);
      await world.write(channel, { text: 'hello', wait: true });
      await until('the delivery to end', async () => (await pending(world, channel)) === 0);
      // The fourth attempt could only start after the deadline.
      expect(world.inbox.arrivals.map(({ headers }) => headers['x-webhook-attempt'])).toEqual([
        '1',
        '2',
        '3',
      ]);
      expect((await mailsOf(world, account.accountId)).map(({ kind }) => kind)).toEqual(['webhook-alert']);
    } finally {
      await world.close();
    }
  });
});

/** The encrypted payload of a delivery in the store; null if it has been erased. */
function sealedPayload(folder: string, deliveryId: string): string | null {
  const database = new DatabaseSync(join(folder, 'trunkline.db'), { readOnly: true });
  try {
    const row = database
      .prepare(
        'select bytes from deliveries join delivery_payloads on place = payload_place where deliveries.id = ?',
      )
      .get(packId(deliveryId));
    const payload: unknown = row?.['bytes'];
    return payload instanceof Uint8Array ? Buffer.from(payload).toString('latin1') : null;
  } finally {
    database.close();
  }
}

/** The store splits long values over pages: these pieces are short enough to lie within one page. */
function piecesOf(sealed: string): string[] {
  const starts = Array.from({ length: Math.floor(sealed.length / 500) }, (_, n) => n * 500);
  return starts.map((start) => sealed.slice(start, start + 100));
}

describe('the payload is encrypted at rest during retry, and cleared', () => {
  test.each([
    ['after delivery', 200],
    ['after expiry', 500],
  ])('%s: neither the text nor the encrypted bytes are in any file', async (_name, inTheEnd) => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
    const world = await World.open({
      DATA_DIR: folder,
      WEBHOOK_RETRY_DELAYS_MS: '150,150,150,150,150,150,150',
    });
    // Longer than a page of the store: its pages are freed, not overwritten by other values.
    const text = 'words-that-must-not-stay '.repeat(500);
    try {
      const channel = await world.connected('pagechat');
      world.inbox.answerAlways(503);
      await world.write(channel, { text, wait: true }, newPerson('pagechat'));
      const [first] = await world.inbox.next(2);
      expect(first?.raw.toString()).toContain(text);
      const deliveryId = String(first?.headers['x-webhook-id']);
      const sealed = sealedPayload(folder, deliveryId) ?? '';
      const before = await everythingStored(folder);
      expect(sealed.length).toBeGreaterThan(text.length);
      expect([
        piecesOf(sealed).some((piece) => before.includes(piece)),
        before.includes('words-that'),
      ]).toEqual([true, false]);
      world.inbox.answerAlways(inTheEnd);
      await until('the delivery to end', async () => (await pending(world, channel)) === 0);
      expect(sealedPayload(folder, deliveryId)).toBeNull();
      await world.service.stop();
      const after = await everythingStored(folder);
      expect(after).toContain(deliveryId);
      expect([piecesOf(sealed).some((piece) => after.includes(piece)), after.includes('words-that')]).toEqual(
        [false, false],
      );
    } finally {
      await world.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
