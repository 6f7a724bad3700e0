import { afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest, sharedBrowser } from '../support/browser.ts';
import { at, dualPhone, mia, page, pageToken, phone, photo, Stage } from './support.ts';

// A tester plays the customer of each channel kind on the simulator's chat page [upstream §4.2, §4.7, §4.8].

const browser = sharedBrowser();
let stage: Stage;
/** All tests share one tab: opening a person's chat reloads the page. */
let tab: Page;
beforeAll(async () => {
  tab = await (await browser()).newPage();
}, 60_000);
beforeEach(async () => {
  stage = await Stage.open();
  await stage.subscribe();
  const fields = 'messages,message_echoes,message_edits,message_reactions,messaging_postbacks,message_reads';
  await stage.graph('POST', `/${page}/subscribed_apps?subscribed_fields=${fields}`, { token: pageToken });
});
afterEach(() => stage.close());

const people: Readonly<Record<string, string>> = {
  [phone]: mia.phone,
  [dualPhone]: mia.phone,
  [page]: mia.psid,
  [photo]: mia.igsid,
};

async function open(channel: string): Promise<void> {
  await tab.goto(`${stage.url}/control/chat?channel=${channel}&person=${people[channel] ?? ''}`);
}

/** Presses the button and returns the webhook's value or messaging item that follows. */
async function pressed(button: string): Promise<unknown> {
  const before = stage.inbox.received.length;
  await tab.getByRole('button', { name: button, exact: true }).click();
  await stage.inbox.first(before + 1);
  const entry = at(stage.inbox.received[before]?.body, 'entry', 0);
  return at(entry, 'changes', 0, 'value') ?? at(entry, 'messaging', 0);
}

const say = (text: string): Promise<void> => tab.getByLabel('Message', { exact: true }).fill(text);
const as = (type: string): Promise<string[]> => tab.locator('#write select').selectOption(type);
const choose = (text: string): Promise<void> => tab.getByLabel(`Choose: ${text}`).check();

describe('chatapp', () => {
  browserTest('every message type of the list reaches the service', async () => {
    await open(phone);
    const types = await tab.locator('#write select').locator('option').allTextContents();
    const wire: Record<string, string> = {
      voice: 'audio',
      button_reply: 'interactive',
      list_reply: 'interactive',
    };
    for (const type of types) {
      await say('Words');
      await as(type);
      expect(at(await pressed('Send'), 'messages', 0, 'type')).toBe(wire[type] ?? type);
    }
    expect(types).toHaveLength(14);
  });

  browserTest('a person can edit, unsend, react, reply and read', async () => {
    await open(phone);
    await say('Are you open?');
    const id = at(await pressed('Send'), 'messages', 0, 'id');
    await choose('Are you open?');
    await say('Are you open today?');
    expect(at(await pressed('Edit'), 'messages', 0, 'edit', 'original_message_id')).toBe(id);
    await choose('Are you open?');
    expect(at(await pressed('Unsend'), 'messages', 0, 'revoke', 'original_message_id')).toBe(id);
    const answer = at((await stage.sendChatapp('Until six.')).body, 'messages', 0, 'id');
    await stage.inbox.first(5); // sent and delivered
    await choose('Until six.');
    expect(at(await pressed('React'), 'messages', 0, 'reaction')).toEqual({
      message_id: answer,
      emoji: '👍',
    });
    await choose('Until six.');
    expect(at(await pressed('Take reaction back'), 'messages', 0, 'reaction')).toEqual({
      message_id: answer,
    });
    await choose('Until six.');
    await say('Thanks');
    expect(at(await pressed('Reply'), 'messages', 0, 'context', 'id')).toBe(answer);
    expect(at(await pressed('Read all'), 'statuses', 0)).toMatchObject({ id: answer, status: 'read' });
  });

  browserTest('the business can write from its own app on a dual-use number only', async () => {
    await open(phone);
    expect(await tab.getByRole('button', { name: 'Send from the app' }).count()).toBe(0);
    await open(dualPhone);
    await tab.getByLabel('From the business’s own app').fill('We are closed');
    const echo = await pressed('Send from the app');
    expect(at(echo, 'message_echoes', 0, 'text', 'body')).toBe('We are closed');
    await tab.getByText('We are closed').waitFor();
  });
});

describe.each([
  ['pagechat', page],
  ['photoapp', photo],
])('%s', (_kind, channel) => {
  browserTest('several attachments and a file from disk are sent as one message', async () => {
    await open(channel);
    await say('All of it');
    await tab.getByLabel('image', { exact: true }).fill('2');
    await tab.getByLabel('video', { exact: true }).fill('1');
    await tab.getByLabel('Your own file').setInputFiles({
      name: 'plan "b".pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4 mine'),
    });
    const message = at(await pressed('Send'), 'message');
    expect(message).toMatchObject({
      text: 'All of it',
      attachments: [{ type: 'image' }, { type: 'image' }, { type: 'video' }, { type: 'file' }],
    });
    const url = at(message, 'attachments', 3, 'payload', 'url');
    expect(await (await fetch(String(url))).text()).toBe('%PDF-1.4 mine');
  });

  browserTest('every message type, an edit, a reaction and a reply reach the service', async () => {
    await open(channel);
    const types = await tab.locator('#write select').locator('option').allTextContents();
    for (const type of types) {
      await say('Words');
      await as(type);
      const told = await pressed('Send');
      expect(at(told, 'message') ?? at(told, 'postback')).toBeDefined();
    }
    await say('Last');
    const mid = at(await pressed('Send'), 'message', 'mid');
    await choose('Last');
    await say('Very last');
    expect(at(await pressed('Edit'), 'message_edit')).toMatchObject({ mid, text: 'Very last' });
    await choose('Last');
    expect(at(await pressed('React'), 'reaction')).toMatchObject({ mid, action: 'react' });
    await choose('Last');
    await say('To that');
    expect(at(await pressed('Reply'), 'message', 'reply_to', 'mid')).toBe(mid);
  });

  browserTest('a message from the inbox of the business is echoed', async () => {
    await open(channel);
    await tab.getByLabel('From the business’s own app').fill('From the inbox');
    expect(at(await pressed('Send from the app'), 'message')).toMatchObject({
      is_echo: true,
      text: 'From the inbox',
    });
  });
});

browserTest('a photoapp person can unsend a message', async () => {
  await open(photo);
  await say('Oops');
  const mid = at(await pressed('Send'), 'message', 'mid');
  await choose('Oops');
  expect(at(await pressed('Unsend'), 'message')).toMatchObject({ mid, is_deleted: true });
});

browserTest('the chosen message stays chosen when new messages appear', async () => {
  await open(page);
  await say('Mine');
  await pressed('Send');
  await choose('Mine');
  await stage.sendPage(mia.psid, { text: 'Something new' });
  await tab.getByText('Something new').waitFor();
  expect(await tab.getByLabel('Choose: Mine').isChecked()).toBe(true);
  await tab
    .screenshot({ path: process.env['CHAT_SCREENSHOT'] ?? '/dev/null', type: 'png' })
    .catch(() => undefined);
});
