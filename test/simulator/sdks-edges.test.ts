/** [upstream §9.1] Edges beside messaging, used by third-party clients; see sdks.test.ts and edges.test.ts. */
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Messenger } from '@warriorteam/messenger-sdk';
import messenger from 'messaging-api-messenger';
import { WhatsAppAPI } from 'whatsapp-api-js';
import { appSecret, at, mia, page, pageToken, phone, photo, Stage, wabaToken } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.openStrict();
});
afterEach(() => stage.close());

describe('messaging-api-messenger', () => {
  const client = () =>
    new messenger.MessengerClient({
      accessToken: pageToken,
      appId: '700100200300400',
      appSecret,
      version: '25.0',
      origin: stage.url,
    });

  test('it sets, reads and deletes the messenger profile', async () => {
    const sdk = client();
    const menu = [{ locale: 'default', composerInputDisabled: false, callToActions: [] }];
    await sdk.setGetStarted('START');
    await sdk.setPersistentMenu(menu);
    await sdk.setGreeting('Good morning');
    expect(await sdk.getGetStarted()).toEqual({ payload: 'START' });
    expect(await sdk.getPersistentMenu()).toEqual(menu);
    expect(await sdk.getGreeting()).toEqual([{ locale: 'default', text: 'Good morning' }]);
    await sdk.deleteGreeting();
    expect(await sdk.getGreeting()).toBeNull();
  });

  test('it creates, lists and deletes personas', async () => {
    const sdk = client();
    const made = [];
    for (const name of ['Ada', 'Bo'])
      made.push(await sdk.createPersona({ name, profilePictureUrl: 'https://bakery.example/a.png' }));
    expect(await sdk.getPersona(made[0]?.id ?? '')).toMatchObject({ name: 'Ada' });
    expect((await sdk.getAllPersonas()).map(({ name }) => name)).toEqual(['Ada', 'Bo']);
    expect(await sdk.deletePersona(made[0]?.id ?? '')).toEqual({ success: true });
    expect((await sdk.getAllPersonas()).map(({ name }) => name)).toEqual(['Bo']);
  });

  test('it sends two texts in one batch', async () => {
    const batch = ['one', 'two'].map((text) => messenger.MessengerBatch.sendText(mia.psid, text));
    const answers = await client().sendBatch(batch);
    const accepted = { code: 200, body: { recipientId: mia.psid, messageId: expect.stringMatching(/^m_/) } };
    expect(answers).toMatchObject([accepted, accepted]);
    expect(await stage.look('sends')).toMatchObject({ sends: [{ text: 'one' }, { text: 'two' }] });
  });
});

describe('@warriorteam/messenger-sdk', () => {
  const client = () =>
    new Messenger({ accessToken: pageToken, version: 'v25.0', baseUrl: stage.url, maxRetries: 0 });

  test.each([
    ['messenger', page, mia.psid],
    ['instagram', photo, mia.igsid],
  ] as const)(
    '%s: it finds a person’s conversation and reads its messages',
    async (platform, channel, from) => {
      await stage.control('people/write', { channel, from, text: 'Are you open?' });
      const { conversations } = client();
      const id = await conversations.findByUser(page, from, platform);
      const read = await conversations.getRecentMessages(id ?? '');
      expect(read).toMatchObject([
        { message: 'Are you open?', from: { id: from } },
        { message: 'Hello', from: { id: from } },
      ]);
    },
  );
});

describe('chatapp clients', () => {
  test('whatsapp-api-js blocks and unblocks', async () => {
    const toSimulator: typeof fetch = (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      return fetch(url.replace('https://graph.facebook.com', stage.url), init);
    };
    const sdk = new WhatsAppAPI({
      token: wabaToken,
      appSecret,
      v: 'v25.0',
      ponyfill: { fetch: toSimulator },
    });
    const blocked = await sdk.blockUser(phone, mia.phone);
    const freed = await sdk.unblockUser(phone, mia.phone);
    const users = [{ input: mia.phone, wa_id: mia.phone }];
    expect([at(blocked, 'block_users'), at(freed, 'block_users')]).toEqual([
      { added_users: users },
      { removed_users: users },
    ]);
  });

  test('@kapso/whatsapp-cloud-api changes and reads a number’s settings', async () => {
    const sdk = new WhatsAppClient({ accessToken: wabaToken, baseUrl: stage.url, graphVersion: 'v25.0' });
    const { settings } = sdk.phoneNumbers;
    await settings.update({ phoneNumberId: phone, calling: { status: 'ENABLED' } });
    expect(await settings.get({ phoneNumberId: phone })).toMatchObject({ calling: { status: 'ENABLED' } });
  });
});
