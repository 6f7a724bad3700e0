/** [spec: Media download; operator-interface §4: media] Access to inbound files, and its end. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

async function kept({ id: channelId }: Pick<Channel, 'id'> = channel): Promise<string> {
  const [id, createdAt, expiresAt] = [newId(), service.clock.now(), service.clock.now() + 1_000];
  const { accountId } = tenant;
  const sink = await service.stores.media.create({ id, accountId, channelId, createdAt, expiresAt });
  await sink.write(Buffer.from('hello'));
  await sink.finish({ mimeType: 'text/plain', fileSize: 5, filename: 'a.txt', expiresAt });
  return id;
}

const open = (id: string, caller = tenant) => service.features.openMedia(caller, id);

test('a file is read with its metadata', async () => {
  const id = await kept();
  const { file, bytes } = await open(id);
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe('hello');
  expect(file).toMatchObject({ id, channelId: channel.id, mimeType: 'text/plain', filename: 'a.txt' });
});

test("an unknown file, or another account's, is 404", async () => {
  const absent = { status: 404, detail: 'Media file not found' };
  expect(await refusalOf(open(newId()))).toEqual(absent);
  expect(await refusalOf(open(await kept(), await newTenant(service)))).toEqual(absent);
});

test('a file is 410 from the moment it expires', async () => {
  const id = await kept();
  service.clock.pass(999);
  expect((await open(id)).file.id).toBe(id);
  service.clock.pass(1);
  expect(await refusalOf(open(id))).toEqual({ status: 410, detail: 'The media file has expired' });
});

test('a file of a channel with a lower tier is 402; of an inactive channel, or one without a licence, it is read', async () => {
  const id = await kept();
  await service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter' });
  expect(await refusalOf(open(id))).toEqual({
    status: 402,
    detail: "This operation needs the pro tier; the channel's licence is starter",
  });
  await service.features.bindChannel(channel.id, null);
  await service.features.deactivateChannel(tenant, channel.id);
  expect((await open(id)).file.id).toBe(id);
});

test('a file of a deleted channel is read', async () => {
  const id = await kept({ id: newId() });
  expect((await open(id)).file.id).toBe(id);
});
