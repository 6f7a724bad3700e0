/** [faults: 97] Receipts of messages that were never sent, and then a restart. */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { maxUnmatched } from '../../src/storage/journal/channel-journal.ts';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { asset, newAccount, World } from '../support/world.ts';
import { countTurns } from '../support/loop-turns.ts';

jest.setTimeout(180_000);

const appSecret = 'example-app-secret-0001';

let simulator: Simulator;
let inbox: Inbox;
let folder: string;
let service: Service;
beforeAll(async () => {
  simulator = await bootSimulator(laxWorld);
  inbox = await Inbox.open();
  folder = await mkdtemp(join(tmpdir(), 'trunkline-receipts-'));
  service = await bootService(simulator.url, { DATA_DIR: folder });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
  await inbox.close();
  await rm(folder, { recursive: true, force: true });
});

function unknownReceipts(count: number, name: string): string {
  const statuses = Array.from({ length: count }, (_, n) => ({
    id: `${name}.${n}`,
    recipient_id: `49${n}`,
    status: 'read',
    timestamp: '1767225600',
  }));
  const value = { metadata: { phone_number_id: asset.chatapp }, statuses };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  });
}

test('60,000 unmatched receipts, then a restart: the activation loads at most the limit, in chunks', async () => {
  const world = new World(service, simulator, inbox);
  const channel = await world.connect(await newAccount(service), 'chatapp');
  for (const name of ['a', 'b', 'c']) {
    const raw = unknownReceipts(20_000, name);
    const signature = createHmac('sha256', appSecret).update(raw).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'content-type': 'application/json' };
    expect((await service.call('POST', '/upstream/webhooks', { raw, headers })).status).toBe(200);
  }
  await service.stop();
  service = await bootService(simulator.url, { DATA_DIR: folder });
  const turns = countTurns();
  const { body } = await service.admin('GET', `/channels/${channel.id}`);
  expect(body.facts_held).toBe(maxUnmatched);
  // It reads and decrypts 250 at a time.
  expect(turns()).toBeGreaterThanOrEqual(maxUnmatched / 250);
  const again = await World.of(service, simulator, inbox);
  const { body: sent } = await again.send(channel, 'Afterwards', newPerson('chatapp'));
  expect(sent.status).toBe('sent');
});
