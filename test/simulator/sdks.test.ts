import { Client, MessageType, type CreateTemplateComponent } from '@great-detail/whatsapp';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import messenger from 'messaging-api-messenger';
import { WhatsAppAPI } from 'whatsapp-api-js';
import { Image, Text } from 'whatsapp-api-js/messages';
import { appSecret, at, mia, page, pageToken, phone, Stage, textAt, waba, wabaToken } from './support.ts';

// Third-party clients, written for the real upstream: a call that succeeds here has the shape that upstream accepts.

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.openStrict();
});
afterEach(() => stage.close());

function greatDetail(): Client {
  return new Client({
    baseUrl: stage.url,
    graphVersion: 'v25.0',
    request: { headers: { Authorization: `Bearer ${wabaToken}` } },
  });
}

// whatsapp-api-js has no base URL but accepts a fetch function, which replaces the host.
const toSimulator: typeof fetch = (input, init) => {
  const url = input instanceof Request ? input.url : input.toString();
  return fetch(url.replace('https://graph.facebook.com', stage.url), init);
};

function apiJs(): WhatsAppAPI {
  return new WhatsAppAPI({ token: wabaToken, appSecret, v: 'v25.0', ponyfill: { fetch: toSimulator } });
}

function messengerClient(): InstanceType<typeof messenger.MessengerClient> {
  return new messenger.MessengerClient({
    accessToken: pageToken,
    appId: '700100200300400',
    appSecret,
    version: '25.0',
    origin: stage.url,
  });
}

describe('@great-detail/whatsapp', () => {
  test('it sends a text and a template', async () => {
    const text = await greatDetail()
      .message.createMessage({
        phoneNumberID: phone,
        to: mia.phone,
        type: MessageType.Text,
        text: { body: 'Hello' },
      })
      .json();
    const template = { name: 'hello_world', language: { code: 'en_US' as const }, components: [] };
    await greatDetail()
      .message.createMessage({ phoneNumberID: phone, to: mia.phone, type: MessageType.Template, template })
      .json();
    expect(textAt(text, 'messages', 0, 'id')).toMatch(/^wamid\./);
    expect(await stage.look('sends')).toMatchObject({ sends: [{ text: 'Hello' }, { type: 'template' }] });
  });

  test('it lists numbers, subscribes the app, creates and deletes a template', async () => {
    const sdk = greatDetail();
    const components: CreateTemplateComponent[] = [
      { type: 'BODY', text: 'Your parcel {{1}} is here.', example: { body_text: ['A-1'] } },
    ];
    const numbers = await sdk.phoneNumbers.listPhoneNumbers({ businessAccountID: waba }).json();
    const subscribed = await sdk.subscribedApps.createSubscription({ businessAccountID: waba }).json();
    const created = await sdk.template
      .create(waba, {
        name: 'from_sdk',
        language: 'en_US',
        category: 'UTILITY',
        parameter_format: 'POSITIONAL',
        components,
      })
      .json();
    const deleted = await sdk.template.delete(waba, { name: 'from_sdk' }).json();
    expect(at(numbers, 'data', 0, 'id')).toBe(phone);
    expect([subscribed, at(created, 'status'), deleted]).toEqual([
      { success: true },
      'PENDING',
      { success: true },
    ]);
  });

  test('it uploads a file, reads its link and deletes it', async () => {
    const sdk = greatDetail();
    const file = new Blob(['png'], { type: 'image/png' });
    const uploaded = await sdk.media
      .upload({ phoneNumberID: phone, file, filename: 'a.png', mimeType: 'image/png' })
      .json();
    const mediaID = textAt(uploaded, 'id');
    const link = await sdk.media.getURL({ mediaID }).json();
    const deleted = await sdk.media.delete({ mediaID }).json();
    expect([textAt(link, 'url').startsWith(stage.url), deleted]).toEqual([true, { success: true }]);
  });

  test('it accepts a correct webhook signature and rejects a wrong one', async () => {
    await stage.subscribe();
    await stage.control('people/write', { channel: phone, from: mia.phone, text: 'Grüße', wait: true });
    await stage.control('settings', { signature: 'wrong' });
    await stage.control('people/write', { channel: phone, from: mia.phone, text: 'Grüße', wait: true });
    const verdicts = await Promise.all(
      stage.inbox.received.map(async ({ raw, headers }) => {
        const event = await greatDetail().webhook.eventNotification({
          method: 'POST',
          query: {},
          headers: { 'x-hub-signature-256': String(headers['x-hub-signature-256']) },
          body: raw,
        });
        return event.checkSignature(appSecret);
      }),
    );
    expect(verdicts).toEqual([true, false]);
  });
});

describe('whatsapp-api-js', () => {
  test('it sends a text and an image by link', async () => {
    const text = await apiJs().sendMessage(phone, mia.phone, new Text('Hello'));
    await apiJs().sendMessage(phone, mia.phone, new Image(`${stage.url}/files/cake.jpg`, false, 'Today'));
    expect(textAt(text, 'messages', 0, 'id')).toMatch(/^wamid\./);
    expect(await stage.look('sends')).toMatchObject({
      sends: [{ text: 'Hello' }, { type: 'image', text: 'Today' }],
    });
  });

  test('it receives upstream’s error for an invalid number', async () => {
    expect(at(await apiJs().sendMessage(phone, 'nobody', new Text('Hello')), 'error', 'code')).toBe(131009);
  });

  test('it downloads a file that a person sent', async () => {
    const written = await stage.control('people/write', {
      channel: phone,
      from: mia.phone,
      type: 'document',
      content_base64: 'aGk=',
    });
    const node = await apiJs().retrieveMedia(textAt(written, 'media', 0, 'id'));
    const file = await apiJs().fetchMedia(textAt(node, 'url'));
    expect(await file.text()).toBe('hi');
  });

  test('it accepts a message’s webhook by its signature', async () => {
    await stage.subscribe();
    await stage.control('people/write', { channel: phone, from: mia.phone, text: 'Hello there', wait: true });
    const [post] = stage.inbox.received;
    const sdk = apiJs();
    const heard: unknown[] = [];
    sdk.on.message = ({ message, name }) => void heard.push([at(message, 'text', 'body'), name]);
    const signature = String(post?.headers['x-hub-signature-256']);
    await sdk.post(JSON.parse(post?.raw ?? ''), post?.raw ?? '', signature);
    expect(heard).toEqual([['Hello there', 'Mia Vogel']]);
  });
});

describe('messaging-api-messenger', () => {
  test('it sends a text and an image with a proof of the app secret', async () => {
    const text = await messengerClient().sendText(mia.psid, 'Hello');
    await messengerClient().sendImage(mia.psid, { url: `${stage.url}/files/cake.jpg` });
    expect(text).toEqual({ recipientId: mia.psid, messageId: expect.stringMatching(/^m_/) });
    expect(await stage.look('sends')).toMatchObject({ sends: [{ text: 'Hello' }, { type: 'image' }] });
  });

  test('it reads the page, a profile and the thread’s owner, and shows typing', async () => {
    const sdk = messengerClient();
    expect(await sdk.getPageInfo()).toMatchObject({ name: 'Harbour Bakery', id: page });
    expect(await sdk.getUserProfile(mia.psid)).toMatchObject({ firstName: 'Mia', lastName: 'Vogel' });
    expect(await sdk.typingOn(mia.psid)).toEqual({ recipientId: mia.psid });
    await sdk.passThreadControl(mia.psid, 263902037430900);
    expect(await sdk.getThreadOwner(mia.psid)).toEqual({ appId: '263902037430900' });
  });

  test('it reports upstream’s refusal', async () => {
    await stage.control('people/block', { channel: page, from: mia.psid });
    await expect(messengerClient().sendText(mia.psid, 'Hello')).rejects.toThrow('551');
  });
});
