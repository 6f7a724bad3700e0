import { WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Messenger, verifyWebhookSignature } from '@warriorteam/messenger-sdk';
import { appSecret, mia, page, pageToken, phone, Stage, textAt, waba, wabaToken } from './support.ts';

// Two more third-party clients, written for the real upstream; see sdks.test.ts.

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.openStrict();
});
afterEach(() => stage.close());

describe('@kapso/whatsapp-cloud-api', () => {
  const client = () =>
    new WhatsAppClient({ accessToken: wabaToken, baseUrl: stage.url, graphVersion: 'v25.0' });

  test('it sends a text, an image by link, and an image by the id of its own upload', async () => {
    const common = { phoneNumberId: phone, to: `+${mia.phone}` };
    const file = new Blob([Buffer.from('89504e470d0a1a0a', 'hex')], { type: 'image/png' });
    const { id } = await client().media.upload({
      phoneNumberId: phone,
      type: 'image/png',
      file,
      fileName: 'a.png',
    });
    const sent = [
      await client().messages.sendText({ ...common, body: 'Hello' }),
      await client().messages.sendImage({ ...common, image: { link: `${stage.url}/files/cake.png` } }),
      await client().messages.sendImage({ ...common, image: { id, caption: 'uploaded' } }),
    ];
    expect(sent.map(({ messages }) => messages[0]?.id)).toEqual(
      Array(3).fill(expect.stringMatching(/^wamid\./)),
    );
    expect(await stage.look('sends')).toMatchObject({
      sends: [{ text: 'Hello' }, { type: 'image' }, { type: 'image', text: 'uploaded' }],
    });
  });

  test('it creates, lists, sends and deletes a template with a URL button', async () => {
    await stage.control('settings', { template_review_ms: 0 });
    const created = await client().templates.create({
      businessAccountId: waba,
      name: 'parcel_here',
      language: 'en_US',
      category: 'UTILITY',
      components: [
        { type: 'body', text: 'Your parcel {{1}} is here.', example: { body_text: [['A-1']] } },
        {
          type: 'buttons',
          buttons: [
            {
              type: 'url',
              text: 'Track',
              url: 'https://shop.example/{{1}}',
              example: ['https://shop.example/1'],
            },
          ],
        },
      ],
    });
    expect(created).toMatchObject({ status: 'PENDING', category: 'UTILITY' });
    await stage.control('templates', { name: 'parcel_here', event: 'APPROVED' });
    const listed = await client().templates.list({ businessAccountId: waba, name: 'parcel_here' });
    expect(listed.data).toMatchObject([{ id: created.id, status: 'APPROVED' }]);
    await client().messages.sendTemplate({
      phoneNumberId: phone,
      to: `+${mia.phone}`,
      template: {
        name: 'parcel_here',
        language: { code: 'en_US' },
        components: [
          { type: 'body', parameters: [{ type: 'text', text: 'A-1' }] },
          { type: 'button', subType: 'url', index: 0, parameters: [{ type: 'text', text: '1' }] },
        ],
      },
    });
    expect(await stage.look('sends')).toMatchObject({ sends: [{ text: 'Your parcel A-1 is here.' }] });
    const gone = await client().templates.delete({ businessAccountId: waba, name: 'parcel_here' });
    expect(gone).toMatchObject({ success: true });
  });

  test('it downloads a file that a person sent, and sets the business profile', async () => {
    const ask = { channel: phone, from: mia.phone, type: 'document', content_base64: 'aGk=' };
    const written = await stage.control('people/write', ask);
    const bytes = await client().media.download({
      mediaId: textAt(written, 'media', 0, 'id'),
      auth: 'always',
    });
    expect(bytes instanceof ArrayBuffer && Buffer.from(bytes).toString()).toBe('hi');
    await client().phoneNumbers.businessProfile.update({ phoneNumberId: phone, about: 'Bread' });
    const shown = await client().phoneNumbers.businessProfile.get({ phoneNumberId: phone });
    expect(shown.data).toMatchObject([{ about: 'Bread' }]);
  });

  test('finds the webhook’s signature right', async () => {
    await stage.subscribe();
    await stage.control('people/write', { channel: phone, from: mia.phone, text: 'Grüße', wait: true });
    const [post] = stage.inbox.received;
    const signatureHeader = String(post?.headers['x-hub-signature-256']);
    expect(verifySignature({ appSecret, rawBody: post?.raw ?? '', signatureHeader })).toBe(true);
  });
});

describe('@warriorteam/messenger-sdk', () => {
  const client = () =>
    new Messenger({ accessToken: pageToken, version: 'v25.0', baseUrl: stage.url, maxRetries: 0 });

  test('it sends a text and a typing indicator', async () => {
    const request = { recipient: { id: mia.psid }, messaging_type: 'RESPONSE' as const };
    const sent = await client().send.message({ ...request, message: { text: 'Hello' } });
    await client().send.typingOn(mia.psid);
    expect(sent).toEqual({ recipient_id: mia.psid, message_id: expect.stringMatching(/^m_/) });
  });

  test('it uploads an attachment once and sends it by its id', async () => {
    const url = `${stage.url}/files/cake.jpg`;
    const kept = await client().attachments.upload({ type: 'image', url, is_reusable: true });
    await client().send.attachment({
      recipient: { id: mia.psid },
      type: 'image',
      attachment_id: kept.attachment_id,
    });
    expect(await stage.look('sends')).toMatchObject({ sends: [{ type: 'image', channel: page }] });
  });

  test('it reads a full profile', async () => {
    expect(await client().profile.getFull(mia.psid)).toMatchObject({
      first_name: 'Mia',
      last_name: 'Vogel',
    });
  });

  test('it reports upstream’s refusal with its trace id', async () => {
    const request = { recipient: { id: '8800000000000101' }, messaging_type: 'RESPONSE' as const };
    await expect(client().send.message({ ...request, message: { text: 'Hello' } })).rejects.toMatchObject({
      code: 100,
      subcode: 2018001,
      fbtrace_id: expect.any(String),
    });
  });

  test('finds the webhook’s signature right', async () => {
    await stage.subscribe();
    await stage.control('people/write', { channel: page, from: mia.psid, text: 'Grüße', wait: true });
    const [post] = stage.inbox.received;
    const signature = String(post?.headers['x-hub-signature-256']);
    const verdict = await verifyWebhookSignature(Buffer.from(post?.raw ?? ''), signature, appSecret);
    expect(verdict).toEqual({ isValid: true });
  });
});
