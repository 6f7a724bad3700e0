import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { at, mia, page, pageToken, phone, Stage, waba, wabaToken } from './support.ts';

// A person presses what the business sent [upstream §4.2, §4.7].

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ settings: { auto_statuses: false } });
  await stage.subscribe();
  const fields = 'messages,messaging_postbacks';
  await stage.graph('POST', `/${page}/subscribed_apps?subscribed_fields=${fields}`, { token: pageToken });
});
afterEach(() => stage.close());

async function pressed(ask: Record<string, unknown>): Promise<unknown> {
  await stage.control('people/write', { ...ask, wait: true });
  return at(stage.inbox.received.at(-1)?.body, 'entry', 0);
}
async function onPhone(ask: Record<string, unknown>): Promise<unknown> {
  const entry = await pressed({ channel: phone, from: mia.phone, type: 'interactive', ...ask });
  return at(entry, 'changes', 0, 'value', 'messages', 0);
}
async function onPage(ask: Record<string, unknown>): Promise<unknown> {
  return at(await pressed({ channel: page, from: mia.psid, ...ask }), 'messaging', 0);
}

async function sendInteractive(interactive: Record<string, unknown>): Promise<unknown> {
  await stage.control('people/write', { channel: phone, from: mia.phone, wait: true });
  const body = { messaging_product: 'whatsapp', to: mia.phone, type: 'interactive', interactive };
  const answer = await stage.graph('POST', `/${phone}/messages`, { token: wabaToken, body });
  return at(answer.body, 'messages', 0, 'id');
}
const reply = (id: string, title: string) => ({ type: 'reply', reply: { id, title } });

test('a reply button has the id and title that were sent, and answers that message', async () => {
  const buttons = [reply('am', 'In the morning'), reply('pm', 'In the evening')];
  const id = await sendInteractive({ type: 'button', body: { text: 'When?' }, action: { buttons } });
  const first = { context: { id }, interactive: { button_reply: { id: 'am', title: 'In the morning' } } };
  const second = { context: { id }, interactive: { button_reply: { id: 'pm', title: 'In the evening' } } };
  expect(await onPhone({})).toMatchObject(first);
  expect(await onPhone({ payload: 'pm' })).toMatchObject(second);
  expect(await onPhone({ text: 'In the evening' })).toMatchObject(second);
  expect(await onPhone({ payload: 'other', text: 'Other' })).toMatchObject({
    interactive: { button_reply: { id: 'other', title: 'Other' } },
  });
});

test('a row of a list has its id, title and description', async () => {
  const rows = [{ id: 'r1', title: 'Cake', description: 'With cherries' }];
  await sendInteractive({
    type: 'list',
    body: { text: 'What?' },
    action: { button: 'Menu', sections: [{ rows }] },
  });
  expect(await onPhone({})).toMatchObject({
    interactive: {
      type: 'list_reply',
      list_reply: { id: 'r1', title: 'Cake', description: 'With cherries' },
    },
  });
});

const manager = { token: wabaToken };
async function sendTemplate(name: string, components: readonly object[], given: readonly object[]) {
  const plain = {
    name,
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello.' }],
  };
  await stage.graph('POST', `/${waba}/message_templates`, { ...manager, body: plain });
  await stage.control('templates', { name, waba_id: waba, event: 'APPROVED' });
  await stage.control('templates', { name, waba_id: waba, components });
  const template = { name, language: { code: 'en_US' }, components: given };
  const body = { messaging_product: 'whatsapp', to: mia.phone, type: 'template', template };
  return at(
    (await stage.graph('POST', `/${phone}/messages`, { ...manager, body })).body,
    'messages',
    0,
    'id',
  );
}
const said = { type: 'BODY', text: 'Hello.' };
const quickReplies = (...texts: string[]) => ({
  type: 'BUTTONS',
  buttons: texts.map((text) => ({ type: 'QUICK_REPLY', text })),
});
const payloadOf = (index: number, payload: string) => ({
  type: 'button',
  sub_type: 'quick_reply',
  index: String(index),
  parameters: [{ type: 'payload', payload }],
});

test('a quick reply of a template is a `button` with its text and the payload of the send, or the text again', async () => {
  const id = await sendTemplate(
    'pick_up',
    [said, quickReplies('Today', 'Later')],
    [payloadOf(1, 'later-17')],
  );
  const today = { type: 'button', context: { id }, button: { text: 'Today', payload: 'Today' } };
  const later = { type: 'button', context: { id }, button: { text: 'Later', payload: 'later-17' } };
  expect(await onPhone({ type: 'button' })).toMatchObject(today);
  expect(await onPhone({ type: 'button', payload: 'later-17' })).toMatchObject(later);
  expect(await onPhone({ type: 'button', text: 'Later' })).toMatchObject(later);
  expect(await onPhone({ type: 'interactive', payload: 'later-17' })).toMatchObject(later);
  await stage.control('people/write', { channel: phone, from: mia.phone, text: 'Wait', wait: true });
  expect(await onPhone({ type: 'button', payload: 'Today' })).toMatchObject(today);
});

test('a quick reply of a card answers the carousel', async () => {
  await stage.control('settings', { template_parts: true });
  const body = { type: 'BODY', text: 'A cake.' };
  const card = { components: [body, quickReplies('I take it')] };
  const given = ['cherry', 'plum'].map((payload, card_index) => ({
    card_index,
    components: [payloadOf(0, payload)],
  }));
  const carousel = [said, { type: 'CAROUSEL', cards: [card, card] }];
  const id = await sendTemplate('cakes', carousel, [{ type: 'carousel', cards: given }]);
  expect(await onPhone({ type: 'button', payload: 'plum' })).toMatchObject({
    context: { id },
    button: { text: 'I take it', payload: 'plum' },
  });
});

test('a quick reply and a button of a page have the payload that was sent', async () => {
  await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
  const send = (message: Record<string, unknown>) =>
    stage.graph('POST', `/${page}/messages`, {
      token: pageToken,
      body: { recipient: { id: mia.psid }, messaging_type: 'RESPONSE', message },
    });
  const quick = { content_type: 'text', title: 'Yes, please', payload: 'Y' };
  await send({ text: 'A bag?', quick_replies: [quick] });
  expect(await onPage({ type: 'quick_reply' })).toMatchObject({
    message: { text: 'Yes, please', quick_reply: { payload: 'Y' } },
  });
  const buttons = [{ type: 'postback', title: 'Hours', payload: 'H' }];
  const payload = { template_type: 'button', text: 'What?', buttons };
  await send({ attachment: { type: 'template', payload } });
  expect(await onPage({ type: 'postback' })).toMatchObject({ postback: { title: 'Hours', payload: 'H' } });
});

test('a member that people/write does not have is refused, by name', async () => {
  const ask = { channel: phone, from: mia.phone, text: 'Hi', buton: 'am' };
  await expect(stage.control('people/write', ask)).rejects.toThrow(
    /people\/write: .*unknown: buton; this call has channel, from, /,
  );
});
