/** [contract: Additions] Texts with something to press, in one shape over the three kinds. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { ChannelType } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

const buttons = [
  { id: 'am', title: 'Morning' },
  { id: 'pm', title: 'Evening' },
];
const rows = [{ id: 'mon', title: 'Monday', description: 'until six' }];
const given = {
  buttons: { interactive_type: 'buttons', text: 'When?', buttons },
  quick_replies: { interactive_type: 'quick_replies', text: 'When?', buttons },
  list: { interactive_type: 'list', text: 'Which day?', list_button: 'Choose', sections: [{ rows }] },
  url: {
    interactive_type: 'url',
    text: 'Track it',
    url_button: { title: 'Open', url: 'https://example.com/1' },
  },
  location_request: { interactive_type: 'location_request', text: 'Where to?' },
};

function post(
  type: ChannelType,
  recipient: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return world.service.call('POST', '/api/v1/messages/send-interactive', {
    key: channels[type].key,
    body: { channel_id: channels[type].id, recipient, ...body },
    headers,
  });
}

const button = (id: string, title: string) => ({ type: 'postback', title, payload: id });
const reply = (id: string, title: string) => ({ content_type: 'text', title, payload: id });
const template = (text: string, list: object[]) => ({
  template: { template_type: 'button', text, buttons: list },
});
const pressable = buttons.map(({ id, title }) => button(id, title));
const replies = { quick_replies: buttons.map(({ id, title }) => reply(id, title)) };
const link = template('Track it', [{ type: 'web_url', title: 'Open', url: 'https://example.com/1' }]);

describe('is taken by upstream in the form of the kind', () => {
  test.each<[ChannelType, keyof typeof given, object]>([
    ['chatapp', 'buttons', { interactive: { type: 'button', body: { text: 'When?' }, action: { buttons: buttons.map((each) => ({ type: 'reply', reply: each })) } } }],
    ['chatapp', 'list', { interactive: { type: 'list', body: { text: 'Which day?' }, action: { button: 'Choose', sections: [{ rows }] } } }],
    ['chatapp', 'url', { interactive: { type: 'cta_url', body: { text: 'Track it' }, action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/1' } } } }],
    ['chatapp', 'location_request', { interactive: { type: 'location_request_message', body: { text: 'Where to?' }, action: { name: 'send_location' } } }],
    ['pagechat', 'buttons', template('When?', pressable)],
    ['photoapp', 'buttons', template('When?', pressable)],
    ['pagechat', 'quick_replies', replies],
    ['photoapp', 'quick_replies', replies],
    ['pagechat', 'url', link],
    ['photoapp', 'url', link],
  ])('%s %s', async (type, name, more) => {
    const person = newPerson(type);
    const answer = await post(type, person, given[name]);
    expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
    const copies = await ledger(world.simulator, { recipient: person, outcome: 'all' });
    expect(copies.map((copy) => copy.more)).toEqual([more]);
  }); // oxfmt-ignore

  test('chatapp: with a line above and below, as an answer', async () => {
    const person = newPerson('chatapp');
    const first = await world.send(channels.chatapp, 'first', person);
    await post('chatapp', person, {
      ...given.buttons,
      header: 'Order 7',
      footer: 'Harbour',
      reply_to: first.body.message_id,
    });
    const [sent] = await ledger(world.simulator, { recipient: person, type: 'text' });
    const [copy] = await ledger(world.simulator, { recipient: person, type: 'interactive' });
    expect(copy?.more).toMatchObject({
      context: { message_id: sent?.id },
      interactive: { header: { type: 'text', text: 'Order 7' }, footer: { text: 'Harbour' } },
    });
  });
});

describe('is refused before upstream is asked', () => {
  const refused = async (type: ChannelType, body: object) => {
    const person = newPerson(type);
    const { status, body: answer } = await post(type, person, body);
    expect(await ledger(world.simulator, { recipient: person, outcome: 'all' })).toEqual([]);
    return [status, answer.detail.code, answer.detail.what ?? answer.detail.field];
  };

  test.each<[ChannelType, keyof typeof given]>([
    ['chatapp', 'quick_replies'],
    ['photoapp', 'list'],
    ['pagechat', 'list'],
    ['photoapp', 'location_request'],
    ['pagechat', 'location_request'],
  ])('where the kind has none: %s %s', async (type, name) => {
    expect(await refused(type, given[name])).toEqual([400, 'unsupported_content', name]);
  });

  test.each<[string, ChannelType, object, string, string]>([
    ['a header on pages', 'pagechat', { ...given.buttons, header: 'x' }, 'unsupported_content', 'header'],
    ['a footer of a request', 'chatapp', { ...given.location_request, footer: 'x' }, 'unsupported_content', 'footer'],
    ['a text over 1024', 'chatapp', { ...given.buttons, text: 'x'.repeat(1025) }, 'content_too_long', 'text'],
    ['a text over 640', 'pagechat', { ...given.buttons, text: 'x'.repeat(641) }, 'content_too_long', 'text'],
    ['four buttons', 'photoapp', { ...given.buttons, buttons: ['a', 'b', 'c', 'd'].map((id) => ({ id, title: id })) }, 'content_too_long', 'buttons'],
    ['a long title', 'chatapp', { ...given.buttons, buttons: [{ id: 'a', title: 'x'.repeat(21) }] }, 'content_too_long', 'title'],
    ['a long id', 'chatapp', { ...given.buttons, buttons: [{ id: 'x'.repeat(257), title: 'x' }] }, 'content_too_long', 'id'],
  ])('%s', async (_, type, body, code, field) => {
    expect(await refused(type, body)).toEqual([400, code, field]);
  }); // oxfmt-ignore

  test.each([
    ['without its buttons', { ...given.buttons, buttons: undefined }],
    ['with no button', { ...given.buttons, buttons: [] }],
    ['with an id twice', { ...given.buttons, buttons: [buttons[0], buttons[0]] }],
    ['with a title twice', { ...given.buttons, buttons: [buttons[0], { ...buttons[0], id: 'other' }] }],
    [
      'with sections without titles',
      { ...given.list, sections: [{ rows }, { rows: [{ id: 'tue', title: 'x' }] }] },
    ],
    ['with an address of a script', { ...given.url, url_button: { title: 'x', url: 'javascript:alert(1)' } }],
    ['of an unknown type', { ...given.buttons, interactive_type: 'carousel' }],
  ])('%s: 422', async (_, body) => {
    expect((await post('chatapp', newPerson('chatapp'), body)).status).toBe(422);
  });
});

test('is sent once per Idempotency-Key', async () => {
  const person = newPerson('chatapp');
  const key = { 'Idempotency-Key': `press-${person}` };
  const first = await post('chatapp', person, given.buttons, key);
  expect((await post('chatapp', person, given.buttons, key)).body).toEqual(first.body);
  expect((await post('chatapp', person, given.list, key)).status).toBe(409);
  expect(await ledger(world.simulator, { recipient: person })).toHaveLength(1);
});
