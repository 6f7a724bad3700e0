/** [faults: 100; operator-interface §2 ENCRYPTION_KEYS] Encryption keys are rotated, missing, and lost. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Inbox, isSigned } from '../support/inbox.ts';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(60_000);

const newKey = (): string => randomBytes(32).toString('base64');
const [oldKey, key, strangeKey] = [newKey(), newKey(), newKey()];

let simulator: Simulator;
let inbox: Inbox;
let folder: string;
let channel: Channel;
let service: Service | null = null;

beforeAll(async () => {
  simulator = await bootSimulator(laxWorld);
  inbox = await Inbox.open();
  folder = await mkdtemp(join(tmpdir(), 'trunkline-keys-'));
  const world = await started(oldKey);
  channel = await world.connect(await newAccount(world.service), 'chatapp');
});
afterEach(async () => {
  await service?.stop();
  service = null;
});
afterAll(async () => {
  await simulator.stop();
  await inbox.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the service with the same data and these keys. */
async function started(keys: string, more: Record<string, string> = {}): Promise<World> {
  await service?.stop();
  service = null;
  service = await bootService(simulator.url, { DATA_DIR: folder, ENCRYPTION_KEYS: keys, ...more });
  return World.of(service, simulator, inbox);
}

/** Checks that the channel sends with its token, and that its webhooks are signed with its secret. */
async function works(world: World): Promise<void> {
  const { body } = await world.send(channel, 'Under another key', newPerson('chatapp'));
  expect(body.status).toBe('sent');
  const told = await inbox.event('message.sent', body.message_id);
  expect(isSigned(told, channel.webhookSecret)).toBe(true);
}

/** How many channels the job has re-encrypted since the start; null if it has not run yet. */
async function resealed(): Promise<number | null> {
  const text = (await service?.call('GET', '/metrics'))?.text ?? '';
  const count = /^trunkline_channels_resealed_total(?:\{\})? (\d+)$/m.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

test('a key ring that lacks the key of stored secrets: the start fails with one line that says so', async () => {
  await expect(started(strangeKey)).rejects.toThrow(
    /^ENCRYPTION_KEYS lacks keys with which data in the store is encrypted: key [0-9a-f]{8} \(1 channel\); add each after the others/,
  );
  await expect(started(`${strangeKey},${key}`)).rejects.not.toThrow(oldKey);
});

test('rotation: an old key after the new one still decrypts; once a job has re-encrypted, it can be removed', async () => {
  await works(await started(`${oldKey},${key}`));
  await works(await started(`${key},${oldKey}`));
  await until('the job to seal anew', async () => (await resealed()) === 1);
  await works(await started(key));
  await expect(started(oldKey)).rejects.toThrow('ENCRYPTION_KEYS lacks');
});

test('a key that is declared lost is accepted as missing, and everything else works', async () => {
  const said: unknown = await started(strangeKey).catch((error: unknown) => error);
  const [, id = ''] = /key ([0-9a-f]{8})/.exec(String(said)) ?? [];
  const world = await started(strangeKey, { ENCRYPTION_KEYS_LOST: id, SEND_QUEUED_AFTER_MS: '50' });
  const { body } = await world.send(channel, 'Without its token', newPerson('chatapp'));
  expect(body.status).toBe('queued');
  expect((await newAccount(world.service)).key).toMatch(/^mip_live_/);
});
