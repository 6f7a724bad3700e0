import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, Stage, waba, wabaToken, type Reply } from './support.ts';

// Each part of a template send is checked against the approved template [upstream §3.2, §3.5].

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
  await stage.control('templates/reviews', { event: 'APPROVED', after_ms: null, times: 0 });
});
afterEach(() => stage.close());

const body = { type: 'BODY', text: 'Your parcel is here.' };
const header = (format: string) => ({ type: 'HEADER', format, example: { header_handle: ['4::a'] } });
const buttons = (...list: readonly unknown[]) => ({ type: 'BUTTONS', buttons: list });
const url = { type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}', example: ['x'] };
const text = (value: unknown) => ({ type: 'text', text: value });

async function sendOf(
  components: readonly unknown[],
  parts: readonly unknown[],
  more: Record<string, unknown> = {},
): Promise<Reply> {
  const template = { name: 'made', language: 'en_US', category: 'UTILITY', components, ...more };
  const made = await stage.graph('POST', `/${waba}/message_templates`, { token: wabaToken, body: template });
  expect(made.body).toMatchObject({ status: 'APPROVED' });
  return send({ name: 'made', language: { code: 'en_US' }, components: parts });
}

function send(template: Record<string, unknown>): Promise<Reply> {
  return stage.sendChatapp('', { type: 'template', template });
}

const codeOf = (reply: Reply): unknown => at(reply.body, 'error', 'code') ?? reply.status;

const order = (parts: readonly unknown[]) =>
  send({ name: 'order_ready', language: { code: 'en_US' }, components: parts });
const orderHeader = { type: 'header', parameters: [text('Harbour')] };
const orderBody = { type: 'body', parameters: [text('Mia'), text('A-1')] };
const orderButton = { type: 'button', sub_type: 'url', index: '0', parameters: [text('A-1')] };

describe('texts', () => {
  test.each([
    ['nothing', [], 132000],
    [
      'one parameter too few',
      [orderHeader, { ...orderBody, parameters: [text('Mia')] }, orderButton],
      132000,
    ],
    [
      'one too many',
      [orderHeader, { ...orderBody, parameters: [1, 2, 3].map(() => text('x')) }, orderButton],
      132000,
    ],
    [
      'a named parameter for a positional template',
      [
        orderHeader,
        { ...orderBody, parameters: [{ ...text('x'), parameter_name: 'a' }, text('y')] },
        orderButton,
      ],
      132012,
    ],
    [
      'a picture where text belongs',
      [orderHeader, { ...orderBody, parameters: [{ type: 'image', image: {} }, text('y')] }, orderButton],
      132012,
    ],
    [
      'a number where text belongs',
      [orderHeader, { ...orderBody, parameters: [text(7), text('y')] }, orderButton],
      131008,
    ],
    [
      'an empty text',
      [orderHeader, { ...orderBody, parameters: [text(''), text('y')] }, orderButton],
      131008,
    ],
    [
      'a new line',
      [orderHeader, { ...orderBody, parameters: [text('a\nb'), text('y')] }, orderButton],
      132018,
    ],
    [
      '1,024 characters more than fit',
      [orderHeader, { ...orderBody, parameters: [text('x'.repeat(1024)), text('y')] }, orderButton],
      132005,
    ],
    ['a component of an unknown type', [{ type: 'tail' }], 100],
    ['two bodies', [orderHeader, orderBody, orderBody, orderButton], 100],
    ['no button parameter', [orderHeader, orderBody], 131008],
    ['all parts', [orderHeader, orderBody, orderButton], 200],
  ])('a send with %s is answered as upstream does', async (_what, parts, code) => {
    expect(codeOf(await order(parts))).toBe(code);
  });

  test('a header for a template without one is refused with 132000', async () => {
    expect(codeOf(await sendOf([body], [orderHeader]))).toBe(132000);
  });

  test('a language policy other than deterministic is refused', async () => {
    const language = { code: 'en_US', policy: 'fallback' };
    expect(codeOf(await send({ name: 'hello_world', language }))).toBe(100);
  });

  test.each([
    ['PAUSED', 132015],
    ['DISABLED', 132016],
    ['REJECTED', 132001],
    ['PENDING', 132001],
  ])('a send of a %s template is refused with %s', async (event, code) => {
    await stage.control('templates', { name: 'hello_world', event });
    expect(codeOf(await send({ name: 'hello_world', language: { code: 'en_US' } }))).toBe(code);
  });

  test('a name in another language is refused with 132001', async () => {
    expect(codeOf(await send({ name: 'hello_world', language: { code: 'de' } }))).toBe(132001);
  });
});

describe('header files', () => {
  const image = (more: Record<string, unknown>) => ({
    type: 'header',
    parameters: [{ type: 'image', image: more }],
  });

  test.each([
    ['left out', [], 132012],
    [
      'of another kind',
      [{ type: 'header', parameters: [{ type: 'video', video: { link: 'https://a.example/a.mp4' } }] }],
      132012,
    ],
    ['without a link', [image({})], 131008],
    ['with an unknown id', [image({ id: '14' })], 100],
    ['with a good link', [image({ link: 'https://files.example/a.jpg' })], 200],
  ])('a header picture %s is answered as upstream does', async (_what, parts, code) => {
    expect(codeOf(await sendOf([header('IMAGE'), body], parts))).toBe(code);
  });

  test('a send whose header picture cannot be fetched fails later', async () => {
    await stage.subscribe();
    const reply = await sendOf(
      [header('IMAGE'), body],
      [image({ link: 'https://files.example/missing.jpg' })],
    );
    const [, failed] = await stage.inbox.first(2);
    expect(codeOf(reply)).toBe(200);
    const status = at(failed?.body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0);
    expect(status).toMatchObject({ status: 'failed', errors: [{ code: 131053 }] });
  });

  test('a location header requires coordinates', async () => {
    const place = (location: unknown) => ({ type: 'header', parameters: [{ type: 'location', location }] });
    expect(codeOf(await sendOf([header('LOCATION'), body], [place({ name: 'Quay' })]))).toBe(131008);
    const whole = place({ latitude: 53.5, longitude: 9.9, name: 'Quay', address: 'Quay 1' });
    expect(codeOf(await send({ name: 'made', language: { code: 'en_US' }, components: [whole] }))).toBe(200);
  });
});

describe('buttons', () => {
  const fill = (subType: string, parameter: unknown, index: unknown = 0) => ({
    type: 'button',
    sub_type: subType,
    index,
    parameters: [parameter],
  });

  test.each([
    ['a URL button with its suffix', url, fill('url', text('a')), 200],
    ['a URL button as quick reply', url, fill('quick_reply', { type: 'payload', payload: 'a' }), 132012],
    ['a URL button with a payload', url, fill('url', { type: 'payload', payload: 'a' }), 132012],
    ['a URL button with spaces in its suffix', url, fill('url', text('a b')), 132018],
    ['a button index that the template lacks', url, fill('url', text('a'), 5), 132000],
    [
      'a URL button without a variable',
      { ...url, url: 'https://a.example/' },
      fill('url', text('a')),
      132000,
    ],
    [
      'a quick reply with a payload',
      { type: 'QUICK_REPLY', text: 'Ok' },
      fill('quick_reply', { type: 'payload', payload: 'OK yes' }),
      200,
    ],
    [
      'a code',
      { type: 'COPY_CODE', example: 'A' },
      fill('copy_code', { type: 'coupon_code', coupon_code: 'SAVE10' }),
      200,
    ],
    [
      'a code of 16 characters',
      { type: 'COPY_CODE', example: 'A' },
      fill('copy_code', { type: 'coupon_code', coupon_code: 'X'.repeat(16) }),
      132018,
    ],
    [
      'a phone button filled',
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+4940123' },
      fill('phone_number', text('a')),
      132012,
    ],
  ])('%s is answered as upstream does', async (_what, button, part, code) => {
    expect(codeOf(await sendOf([body, buttons(button)], [part]))).toBe(code);
  });

  test('a code button without its code is refused with 131008', async () => {
    expect(codeOf(await sendOf([body, buttons({ type: 'COPY_CODE', example: 'A' })], []))).toBe(131008);
  });

  test('an authentication template requires its code twice, in body and button', async () => {
    const components = [
      { type: 'BODY', add_security_recommendation: true },
      buttons({ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }),
    ];
    const code = { type: 'body', parameters: [text('481516')] };
    const more = { category: 'AUTHENTICATION' };
    expect(codeOf(await sendOf(components, [code], more))).toBe(131008);
    const whole = [code, fill('url', text('481516'))];
    expect(codeOf(await send({ name: 'made', language: { code: 'en_US' }, components: whole }))).toBe(200);
    expect(at(await stage.look('sends'), 'sends', 0, 'text')).toBe('481516 is your verification code.');
  });
});

test('upstream may hold a template for its quality and fail it later', async () => {
  await stage.subscribe();
  const held = 'held_for_quality_assessment';
  await stage.control('faults', { act: 'fail_later', code: 132015, message_status: held });
  const reply = await send({ name: 'hello_world', language: { code: 'en_US' } });
  const [, failed] = await stage.inbox.first(2);
  expect(at(reply.body, 'messages', 0, 'message_status')).toBe(held);
  expect(failed?.raw).toContain('132015');
});
