/** [contract: Additions] Who may upload, and how long an upload can be sent. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { toUpload } from '../../../src/features/media/arriving.ts';
import { uploadMedia } from '../../../src/features/media/upload.ts';
import { sendMedia } from '../../../src/features/messages/sends.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
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

async function* pieces(): AsyncGenerator<Buffer> {
  yield Buffer.from('%PDF');
}

const pdf = () => ({
  mediaType: 'document' as const,
  mimeType: 'application/pdf',
  filename: 'a.pdf',
  most: 6,
  content: pieces(),
  timeoutMs: 1_000,
});
const upload = (channelId = channel.id) => uploadMedia(service.world, tenant, { channelId, ...pdf() });

function send(mediaId: string) {
  const shown = { mediaType: 'document', caption: null, filename: null } as const;
  const to = { channelId: channel.id, recipient: '8800000000000777', idempotencyKey: null };
  return sendMedia(service.world, tenant, { ...to, ...shown, source: { mediaId } });
}

test('the record says what the file is, and until when it can be sent', async () => {
  const made = await upload();
  expect(made).toEqual({
    id: expect.any(String),
    accountId: tenant.accountId,
    channelId: channel.id,
    mediaType: 'document',
    mimeType: 'application/pdf',
    fileSize: 4,
    filename: 'a.pdf',
    uploadedId: expect.stringMatching(/^uploaded-/),
    createdAt: service.clock.now(),
    expiresAt: service.clock.now() + 29 * dayMs,
  });
  expect(await service.stores.uploads.find({ ...made })).toEqual(made);
});

test('an upload is 410 from the moment it expires', async () => {
  const made = await upload();
  const id = newId();
  await service.stores.uploads.add({ ...made, id, expiresAt: service.clock.now() });
  expect(await refusalOf(send(id))).toEqual({ status: 410, detail: 'The media file has expired' });
});

describe('is refused before upstream is asked', () => {
  const begun = () => service.uploads.begun;

  test("for another account's channel, and for one that is removed", async () => {
    const before = begun();
    const theirs = await connectedChannel(service, await newTenant(service), 'pagechat');
    expect(await refusalOf(upload(theirs.id))).toEqual({ status: 404, detail: 'Channel not found' });
    await service.features.deactivateChannel(tenant, channel.id);
    expect(await refusalOf(upload())).toMatchObject({ status: 400 });
    expect(begun()).toBe(before);
  });

  test('with a starter licence', async () => {
    const before = begun();
    await service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter' });
    expect(await refusalOf(upload())).toMatchObject({ status: 402 });
    expect(begun()).toBe(before);
  });
});

describe('of what a part says of its file', () => {
  const part = {
    field: 'file',
    filename: null,
    mimeType: 'image/png',
    most: 6,
    timeoutMs: 1,
    content: pieces(),
  };

  test('the end of a long name is kept, and no half of a character', () => {
    const { filename } = toUpload({ ...part, filename: `😀${'a'.repeat(254)}` });
    expect(filename).toBe(`\ufffd${'a'.repeat(254)}`);
  });

  test('a type of any length is not', async () => {
    const mimeType = `image/png;a=${'b'.repeat(200)}`;
    expect(await refusalOf((async () => toUpload({ ...part, mimeType }))())).toMatchObject({ status: 422 });
  });
});

describe('nothing is kept', () => {
  /** The file arrives, and `meanwhile` happens. */
  async function during(meanwhile: () => Promise<unknown>, bytes = '%PDF') {
    async function* content(): AsyncGenerator<Buffer> {
      yield Buffer.from(bytes);
      await meanwhile();
    }
    const { taken } = service.uploads;
    const before = taken.length;
    const refusal = await refusalOf(
      uploadMedia(service.world, tenant, { channelId: channel.id, ...pdf(), content: content() }),
    );
    expect(taken).toHaveLength(before);
    return refusal;
  }

  test.each<[string, () => Promise<unknown>, number]>([
    [
      'account is suspended',
      () => service.features.suspendAccount(tenant.accountId, { suspended: true }),
      402,
    ],
    ['channel is removed', () => service.features.deactivateChannel(tenant, channel.id), 400],
    ['licence is lowered', () => service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter' }), 402], // oxfmt-ignore
  ])('if the %s while the file arrives [faults: 410]', async (_, meanwhile, status) => {
    expect(await during(meanwhile)).toMatchObject({ status });
  });
});

test('of a file that begins as one of another sort nothing is kept', async () => {
  const asked = { ...pdf(), mediaType: 'image', mimeType: 'image/jpeg' } as const;
  const { taken } = service.uploads;
  const before = taken.length;
  expect(await refusalOf(uploadMedia(service.world, tenant, { channelId: channel.id, ...asked }))).toEqual({
    status: 400,
    detail: {
      code: 'unsupported_content',
      message: 'A PDF as image cannot be sent on pagechat channels: wrong_bytes',
      what: 'A PDF as image',
      channel_type: 'pagechat',
      reason: 'wrong_bytes',
    },
  });
  expect(taken).toHaveLength(before);
});

describe('under one name', () => {
  const given = (once: string, text: string, more: object = {}) => {
    async function* content(): AsyncGenerator<Buffer> {
      yield Buffer.from(text);
    }
    return uploadMedia(service.world, tenant, { channelId: channel.id, ...pdf(), content: content(), once, ...more }); // oxfmt-ignore
  };

  test('the same file is one upload, another file is another one', async () => {
    const first = await given('a', '%PDF-1');
    expect(await given('a', '%PDF-1')).toEqual(first);
    const others = [
      await given('a', '%PDF-2'),
      await given('b', '%PDF-1'),
      await given('a', '%PDF-1', { filename: 'b.pdf' }),
    ];
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4);
  });

  test('of another channel or account it is another one', async () => {
    const first = await given('a', '%PDF-1');
    const other = await connectedChannel(service, tenant, 'photoapp');
    expect((await given('a', '%PDF-1', { channelId: other.id })).id).not.toBe(first.id);
  });
});

test('nothing is kept if reading the file fails', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('%P');
    throw new Error('cut');
  }
  const { taken } = service.uploads;
  const before = taken.length;
  const cut = uploadMedia(service.world, tenant, { channelId: channel.id, ...pdf(), content: broken() });
  await expect(cut).rejects.toThrow('cut');
  expect(taken).toHaveLength(before);
});
