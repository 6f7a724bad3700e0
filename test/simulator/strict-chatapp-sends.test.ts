import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, mia, phone, type Reply, Stage, textAt, waba, wabaToken } from './support.ts';

const miaId = 'DE.20260000000000000042';
const otherPhone = '422300000000102';
const otherToken = 'EAAbusiness-311200000000101';
const template = '900000000000091';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict', settings: { callback_subscribes: true } });
  await stage.subscribe();
  await stage.control('settings', { windows: false });
});
afterEach(() => stage.close());

function toUser(recipient: string, more: Record<string, unknown> = {}): Promise<Reply> {
  return stage.sendChatapp('x', { to: undefined, recipient, ...more });
}

function sendTemplate(components: unknown[] = [], more: Record<string, unknown> = {}): Promise<Reply> {
  const named = { name: 'order_ready', language: { code: 'en_US' }, components };
  return stage.sendChatapp('', { type: 'template', template: named, ...more });
}

async function statusValue(): Promise<unknown> {
  const posts = await stage.inbox.first(2);
  return at(posts[1]?.body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0);
}

test('throttles are answered with 400', async () => {
  await stage.control('faults', { act: 'refuse', code: 131_056 });
  expect(codesOf(await stage.sendChatapp('x'))).toEqual([400, 131_056, undefined]);
  await stage.control('settings', { throttle_status: 429 });
  await stage.control('faults', { act: 'refuse', code: 131_056 });
  expect(codesOf(await stage.sendChatapp('x'))).toEqual([429, 131_056, undefined]);
});

test('133004 is answered with 503', async () => {
  await stage.control('faults', { match: { path: 'register' }, act: 'refuse', code: 133_004 });
  const reply = await stage.graph('POST', `/${phone}/register`, { token: wabaToken });
  expect(codesOf(reply)).toEqual([503, 133_004, undefined]);
});

describe('a send that does not arrive', () => {
  test('a number that nobody has is accepted and fails with 131026', async () => {
    expect((await stage.sendChatapp('x', { to: '+4915911111111' })).status).toBe(200);
    expect(await statusValue()).toMatchObject({ status: 'failed', errors: [{ code: 131_026 }] });
  });

  test('a closed window is accepted and fails with 131047', async () => {
    await stage.control('settings', { windows: true });
    expect((await stage.sendChatapp('x')).status).toBe(200);
    expect(await statusValue()).toMatchObject({ status: 'failed', errors: [{ code: 131_047 }] });
  });

  test('is not read by the person', async () => {
    await stage.sendChatapp('x', { to: '+4915911111111' });
    await statusValue();
    const read = await stage.control('people/read', { channel: phone, from: '4915911111111' });
    expect(at(read, 'webhooks')).toBe(0);
  });

  test('both can be refused at once, and the ledger has the refusal', async () => {
    await stage.control('settings', { windows: true, chatapp_refusals: 'at_once' });
    expect(codesOf(await stage.sendChatapp('x'))).toEqual([400, 131_047, undefined]);
    expect(codesOf(await stage.sendChatapp('x', { to: '+4915911111111' }))).toEqual([
      400,
      131_026,
      undefined,
    ]);
    expect(at(await stage.look('sends?outcome=refused'), 'total')).toBe(2);
  });
});

describe('numbers', () => {
  test.each(['+123456', '+1234567890123456'])('%s is 131009', async (to) => {
    expect(codesOf(await stage.sendChatapp('x', { to }))).toEqual([400, 131_009, undefined]);
  });

  test('without + and without a country code the sender’s is put in front', async () => {
    const reply = await stage.sendChatapp('x', { to: '0159000007' });
    expect(at(reply.body, 'contacts', 0)).toEqual({ input: '0159000007', wa_id: '1159000007' });
    const whole = await stage.sendChatapp('x', { to: mia.phone });
    expect(at(whole.body, 'contacts', 0, 'wa_id')).toBe(mia.phone);
  });
});

describe('business-scoped user ids', () => {
  test('the id belongs to one portfolio', async () => {
    expect((await toUser(miaId)).status).toBe(200);
    const body = { messaging_product: 'whatsapp', recipient: miaId, type: 'text', text: { body: 'x' } };
    const foreign = await stage.graph('POST', `/${otherPhone}/messages`, { token: otherToken, body });
    expect(codesOf(foreign)).toEqual([400, 131_009, undefined]);
  });

  test('another portfolio sees another id with letters, and reaches the person by it', async () => {
    await stage.graph('POST', '/311200000000101/subscribed_apps', { token: otherToken });
    await stage.control('people/write', { channel: otherPhone, from: mia.phone });
    const [post] = await stage.inbox.first(1);
    const id = textAt(post?.body, 'entry', 0, 'changes', 0, 'value', 'messages', 0, 'from_user_id');
    expect(id).toMatch(/^DE\.[A-Za-z0-9]{20,128}$/);
    expect(id).not.toBe(miaId);
    const body = { messaging_product: 'whatsapp', recipient: id, type: 'text', text: { body: 'x' } };
    const reply = await stage.graph('POST', `/${otherPhone}/messages`, { token: otherToken, body });
    expect(reply.status).toBe(200);
  });

  test.each([miaId.toLowerCase(), miaId.slice(0, -1)])('%s is 131009', async (id) => {
    expect(codesOf(await toUser(id))).toEqual([400, 131_009, undefined]);
  });

  test('an id of 128 letters and digits is reached', async () => {
    const id = `DE.${'aB3'.repeat(42)}xY`;
    await stage.control('people', { channel: phone, id: '4915900000666', user_id: id });
    expect((await toUser(id)).status).toBe(200);
  });

  test('an authentication template needs a number: 131062', async () => {
    const components = [
      { type: 'BODY' },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ];
    await stage.control('settings', { template_review_ms: 0 });
    await stage.control('templates/reviews', { event: 'APPROVED', after_ms: null });
    const body = { name: 'code', language: 'en_US', category: 'AUTHENTICATION', components };
    await stage.graph('POST', `/${waba}/message_templates`, { token: wabaToken, body });
    const code = [{ type: 'text', text: '123456' }];
    const parts = [
      { type: 'body', parameters: code },
      { type: 'button', sub_type: 'url', index: '0', parameters: code },
    ];
    const named = { name: 'code', language: { code: 'en_US' }, components: parts };
    expect((await stage.sendChatapp('', { type: 'template', template: named })).status).toBe(200);
    const refused = await toUser(miaId, { type: 'template', template: named });
    expect(codesOf(refused)).toEqual([400, 131_062, undefined]);
  });
});

describe('people with a username', () => {
  const lena = { channel: phone, id: '4915900000666', username: 'lena.o' };
  const value = async (nth: number): Promise<unknown> =>
    at((await stage.inbox.first(nth + 1))[nth]?.body, 'entry', 0, 'changes', 0, 'value');

  test('are named by their ids alone, until both have written', async () => {
    await stage.control('settings', { auto_statuses: false });
    const ids = { user_id: 'DE.aB3xZ9', parent_user_id: 'DE.ENT.q7' };
    await stage.control('people', { ...lena, hides_number: true, ...ids });
    const write = { channel: phone, from: lena.id, wait: true };
    await stage.control('people/write', write);
    const [first] = [await value(0)];
    expect(at(first, 'contacts', 0)).toEqual({ profile: { name: 'Guest 0666', username: 'lena.o' }, ...ids });
    expect(at(first, 'messages', 0)).toMatchObject({
      from_user_id: 'DE.aB3xZ9',
      from_parent_user_id: 'DE.ENT.q7',
    });
    expect(at(first, 'messages', 0, 'from')).toBeUndefined();
    const sent = await toUser('DE.aB3xZ9');
    const id = textAt(sent.body, 'messages', 0, 'id');
    await stage.control('statuses', { id, status: 'delivered', wait: true });
    const status = at(await value(1), 'statuses', 0);
    expect(status).toMatchObject({
      recipient_user_id: 'DE.aB3xZ9',
      recipient_parent_user_id: 'DE.ENT.q7',
    });
    expect(at(status, 'recipient_id')).toBeUndefined();
    await stage.control('people/write', write);
    expect(at(await value(2), 'messages', 0)).toMatchObject({ from: lena.id, from_user_id: 'DE.aB3xZ9' });
    expect(at(await value(2), 'contacts', 0, 'wa_id')).toBe(lena.id);
  });
});

describe('templates without their parts', () => {
  const body = { type: 'BODY', text: 'Look at this offer.' };
  const button = (type: string): unknown[] => [body, { type: 'BUTTONS', buttons: [{ type, text: 'See' }] }];

  test.each([
    ['CATALOG', button('CATALOG'), [], 131_008],
    ['MPM', button('MPM'), [], 131_008],
    ['ORDER_DETAILS', button('ORDER_DETAILS'), [], 131_008],
    ['FLOW', button('FLOW'), [], 131_009],
    ['offer', [body, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } }], [], 131_008],
    [
      'offer without its end',
      [body, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } }],
      [{ type: 'limited_time_offer', parameters: [] }],
      132_012,
    ],
    ['carousel', [body, { type: 'CAROUSEL', cards: [{}, {}] }], [], 131_008],
    [
      'carousel with a card too few',
      [body, { type: 'CAROUSEL', cards: [{}, {}] }],
      [{ type: 'carousel', cards: [{}] }],
      132_000,
    ],
  ])('%s', async (_name, components, parts, code) => {
    await stage.control(`templates/${template}`, { components });
    expect(codesOf(await sendTemplate(parts))).toEqual([400, code, undefined]);
  });

  test('a catalog needs its button, but no picture', async () => {
    await stage.control(`templates/${template}`, { components: button('CATALOG') });
    const named = { type: 'button', sub_type: 'CATALOG', index: '0' };
    expect((await sendTemplate([named])).status).toBe(200);
  });

  test('an unknown language is 132001', async () => {
    const named = { name: 'hello_world', language: { code: 'xx_YY' } };
    const reply = await stage.sendChatapp('', { type: 'template', template: named });
    expect(at(reply.body, 'error', 'code')).toBe(132_001);
  });
});

describe('creating a template', () => {
  const create = (members: Record<string, unknown>): Promise<Reply> =>
    stage.graph('POST', `/${waba}/message_templates`, {
      token: wabaToken,
      body: { name: 'fresh', language: 'en_US', category: 'MARKETING', ...members },
    });
  const text = { type: 'BODY', text: 'Fresh every morning.' };

  test('in a language that the platform does not have is 100 with words for people', async () => {
    const reply = await create({ language: 'de_XX', components: [text] });
    expect(codesOf(reply)).toEqual([400, 100, undefined]);
    expect(at(reply.body, 'error', 'error_user_msg')).toBe('The language de_XX is not supported.');
    expect((await create({ language: 'prs_AF', components: [text] })).status).toBe(200);
  });

  test.each([
    [15, [200, undefined, undefined]],
    [16, [400, 100, 2_388_040]],
  ])('with an example of %s characters for a code', async (length, codes) => {
    const buttons = [{ type: 'COPY_CODE', example: 'A'.repeat(length) }];
    const reply = await create({ components: [text, { type: 'BUTTONS', buttons }] });
    expect(codesOf(reply)).toEqual(codes);
  });
});

describe('files', () => {
  async function received(more: Record<string, unknown> = {}): Promise<{ id: string; url: string }> {
    const ask = { channel: phone, from: mia.phone, type: 'image', ...more };
    const written = await stage.control('people/write', ask);
    return { id: textAt(written, 'media', 0, 'id'), url: textAt(written, 'media', 0, 'url') };
  }
  const read = (id: string, token = wabaToken): Promise<Reply> => stage.graph('GET', `/${id}`, { token });
  const load = (url: string): Promise<Response> =>
    fetch(url, { headers: { authorization: `Bearer ${wabaToken}` }, redirect: 'manual' });

  test('the id of a received file ends after seven days', async () => {
    const { id } = await received();
    await stage.control('clock', { advance_ms: 7 * 86_400_000 - 60_000 });
    expect((await read(id)).status).toBe(200);
    await stage.control('clock', { advance_ms: 120_000 });
    expect(codesOf(await read(id))).toEqual([400, 100, 33]);
  });

  test('the id of another account’s file does not exist, neither read nor sent', async () => {
    const { id } = await received();
    expect(codesOf(await read(id, otherToken))).toEqual([400, 100, 33]);
    const body = { messaging_product: 'whatsapp', to: `+${mia.phone}`, type: 'image', image: { id } };
    const sent = await stage.graph('POST', `/${otherPhone}/messages`, { token: otherToken, body });
    expect(codesOf(sent)).toEqual([400, 100, 33]);
  });

  test('a fresh URL can be 404 once while the node is there', async () => {
    const { id, url } = await received({ media_fault: 'stray_404', media_times: 1 });
    expect((await load(url)).status).toBe(404);
    expect((await load(textAt((await read(id)).body, 'url'))).status).toBe(200);
  });

  test('a download can lead to another host', async () => {
    const { url } = await received({ media_fault: 'other_host' });
    const answer = await load(url);
    const next = answer.headers.get('location') ?? '';
    expect([answer.status, new URL(next).hostname]).toEqual([302, 'localhost']);
    expect((await load(next)).status).toBe(200);
  });
});

test('management calls beyond the limit of an hour are 80008 and tell when they work again', async () => {
  await stage.control('settings', { management_calls_per_hour: 1 });
  await stage.control('numbers', { phone_number_id: phone, registered: false });
  await stage.control('numbers', { phone_number_id: '422300000000012', registered: false });
  await stage.control('clock', { advance_ms: 3_600_000 });
  const list = (): Promise<Reply> => stage.graph('GET', `/${waba}/message_templates`, { token: wabaToken });
  expect((await list()).status).toBe(200);
  const refused = await list();
  expect(codesOf(refused)).toEqual([400, 80_008, undefined]);
  const usage: unknown = JSON.parse(refused.headers.get('x-business-use-case-usage') ?? '{}');
  expect(at(usage, '610000000000003', 0, 'estimated_time_to_regain_access')).toBe(60);
  await stage.control('numbers', { phone_number_id: phone, registered: true });
  expect((await list()).status).toBe(200);
});
