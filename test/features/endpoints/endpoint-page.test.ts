/** [spec: Additions, Endpoints; faults: 364] A channel's further endpoint at the portal, without scripts. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { invited } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { Inbox } from '../../support/inbox.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { addedEndpoint, visitedChannel } from './visited.ts';

const world = sharedWorld();
const masked = '••••••••';

let owner: Visitor & { email: string };
let all: string;
beforeAll(async () => {
  ({ owner, all } = await visitedChannel(world));
});

let crm: Inbox;
let path: string;
let secret: string;
beforeEach(async () => {
  crm = await Inbox.open();
  const headers = 'Authorization: Bearer abcdef\nX-Tenant: 7';
  ({ path, secret } = await addedEndpoint(owner, all, { url: crm.url, headers }));
});
afterEach(async () => {
  await owner.post(`${path}/remove`);
  await crm.close();
});

/** What the form on the page would send, if nobody changed it. */
function formIn(text: string): Record<string, string> {
  const [form = ''] = new RegExp(`<form[^>]* action="${path}"[^]*?</form>`).exec(text) ?? [];
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].map(([, inside = '']) => inside);
  const of = (inside: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(inside)?.[1] ?? '';
  const fields = inputs
    .filter((inside) => of(inside, 'name') !== 'csrf')
    .filter((inside) => of(inside, 'type') !== 'checkbox' || / checked/.test(inside))
    .map((inside) => [of(inside, 'name'), of(inside, 'type') === 'checkbox' ? 'on' : of(inside, 'value')]);
  const [, headers = ''] = /<textarea[^>]*>([^<]*)</.exec(form) ?? [];
  return { ...Object.fromEntries(fields), headers };
}
const opened = async () => formIn((await owner.ask(path)).text);
const save = (form: Record<string, string>) => owner.post(path, form);
/** The headers of a test event. */
async function arrived(inbox = crm) {
  await owner.post(`${path}/test`);
  const [arrival] = await inbox.next(1);
  return arrival?.headers;
}
const wrongAt = (text: string, field: string) =>
  new RegExp(`id="${field}-wrong"[^>]*>([^<]*)`).exec(text)?.[1];

test('shows its settings, the values of headers masked, and its form saved as it is changes nothing', async () => {
  const { text } = await owner.ask(path);
  expect(text).not.toMatch(/abcdef|whsec_/);
  const form = formIn(text);
  expect(form).toMatchObject({
    url: crm.url,
    headers: `Authorization: ${masked}\nX-Tenant: ${masked}`,
    'event:message.received': 'on',
  });
  expect((await save(form)).location).toBe(`${path}?saved`);
  const { 'was:values': before } = form;
  expect((await opened())['was:values']).toBe(before);
  expect(await arrived()).toMatchObject({ authorization: 'Bearer abcdef', 'x-tenant': '7' });
});

test('a header is added, one is given a new value, and one is left out; the others keep theirs', async () => {
  const form = await opened();
  await save({ ...form, headers: `Authorization: ${masked}\r\nX-Key: k:1\r\n` });
  expect((await opened()).headers).toBe(`Authorization: ${masked}\nX-Key: ${masked}`);
  const headers = await arrived();
  expect(headers).toMatchObject({ authorization: 'Bearer abcdef', 'x-key': 'k:1' });
  expect(headers).not.toHaveProperty('x-tenant');
  await save({ ...(await opened()), headers: '' });
  expect((await opened()).headers).toBe('');
});

test('events are chosen by boxes', async () => {
  const { 'event:message.received': _off, ...others } = await opened();
  await save({ ...others, 'event:message.read': 'on', 'event:message.delivered': 'on' });
  const form = await opened();
  expect(Object.keys(form).filter((name) => name.startsWith('event:'))).toEqual([
    'event:message.delivered',
    'event:message.read',
  ]);
});

describe('refused at its field, with everything that was typed', () => {
  test.each([
    ['a line without a colon', 'Authorization', 'Line 1 is not written as Name: value.'],
    ['a header twice', 'X-A: 1\nX-A: 2', 'A header is named twice.'],
    [
      'a header of the connection',
      'Host: b',
      'Host: This header belongs to the connection or to the service.',
    ],
    [
      'a value with a letter that is not ASCII',
      'X-A: ä',
      'X-A: The value must be printable ASCII, not empty, without a space at either end.',
    ],
    ['no value', 'X-A:', 'X-A: The value must be printable ASCII, not empty, without a space at either end.'],
    ['a mask where none is stored', `X-B: ${masked}`, 'X-B: No value of this header is stored: give it.'],
  ])('%s', async (_, headers, words) => {
    const { status, text } = await save({ ...(await opened()), headers });
    expect([status, wrongAt(text, 'headers'), formIn(text).headers]).toEqual([422, words, headers]);
    expect((await opened()).headers).toBe(`Authorization: ${masked}\nX-Tenant: ${masked}`);
  });

  test('an address that is none', async () => {
    const { status, text } = await save({ ...(await opened()), url: 'ftp://crm.example.com' });
    expect([status, wrongAt(text, 'url')]).toEqual([422, expect.stringMatching(/^The address must /)]);
  });

  test('an address of another host with headers whose values are not given again', async () => {
    const other = await Inbox.open();
    const words = 'With a url of another host, give the headers again, or none.';
    const form = { ...(await opened()), url: other.url };
    const tried = [form, { ...form, headers: `Authorization: ${masked}\nX-New: 1` }];
    for (const each of tried) {
      const { status, text } = await save(each);
      expect([status, wrongAt(text, 'headers')]).toEqual([422, words]);
    }
    expect((await save({ ...form, headers: 'X-New: 1' })).status).toBe(302);
    expect(await arrived(other)).not.toHaveProperty('authorization');
    await other.close();
  });
});

describe('two tabs', () => {
  test('that change different fields both keep what they saved', async () => {
    const [first, second] = [await opened(), await opened()];
    await save({ ...first, url: `${crm.url}/first` });
    expect((await save({ ...second, 'event:message.read': 'on' })).status).toBe(302);
    expect(await opened()).toMatchObject({ url: `${crm.url}/first`, 'event:message.read': 'on' });
  });

  test.each([
    ['url', 'Address of its receiver', `/second`],
    ['headers', 'Headers', 'Authorization: second'],
  ] as const)('that change %s: the second is told, and replaces it when it saves again', async (...row) => {
    const [field, label, value] = row;
    const typed = field === 'url' ? `${crm.url}${value}` : value;
    const [first, second] = [await opened(), await opened()];
    await save({ ...first, url: `${crm.url}/first`, headers: `Authorization: first\nX-Tenant: ${masked}` });
    const told = await save({ ...second, [field]: typed });
    expect(told.status).toBe(409);
    expect(told.text).toContain(
      `Changed elsewhere since you opened this page: ${label}. Nothing was saved: save again to replace it.`,
    );
    expect((await save(formIn(told.text))).status).toBe(302);
    const shown = field === 'url' ? typed : `Authorization: ${masked}`;
    expect((await opened())[field]).toBe(shown);
  });
});

test('a new secret is asked for, shown once, and signs; for a day the one before signs, too', async () => {
  const asked = await owner.ask(`${path}/secret`);
  expect(asked.text).toContain('Make a new secret for this endpoint?');
  expect((await owner.post(`${path}/secret`)).location).toBe(path);
  const [made = ''] = /whsec_[A-Za-z0-9]{44}/.exec((await owner.ask(path)).text) ?? [];
  expect((await owner.ask(path)).text).not.toContain('whsec_');
  await owner.post(`${path}/test`);
  const [arrival] = await crm.next(1);
  const signed = (by: string) =>
    `sha256=${createHmac('sha256', by)
      .update(arrival?.raw ?? '')
      .digest('hex')}`;
  expect(arrival?.headers['x-webhook-signature']).toBe(signed(made));
  expect(arrival?.headers['x-webhook-signature-previous']).toBe(signed(secret));
});

test('a test event says what was answered, and keeps the request and the answer', async () => {
  crm.answerNext(418);
  const { text } = await owner.post(`${path}/test`);
  expect(text).toContain('It answered 418; only 2xx counts as delivered.');
  const [, at = ''] = /href="(\/portal\/channels\/[^"]+\/deliveries\/[^"]+)"/.exec(text) ?? [];
  const delivery = (await owner.ask(at)).text;
  expect(delivery).toContain('webhook.test');
  for (const [word, kind] of [
    ['now', 'toast'],
    ['ended', 'toast warns'],
  ])
    expect((await owner.ask(`${at}?retried=${word}`)).text).toContain(`<div class="${kind}"`);
  expect(delivery).toMatch(/authorization: \(hidden\)/i);
  expect(delivery).not.toContain('abcdef');
});

test('is disabled and enabled from its page, and stays there', async () => {
  expect((await owner.post(`${path}/disable`)).location).toBe(`${path}?disabled`);
  expect((await owner.ask(path)).text).toContain('Enable it');
  expect((await owner.post(`${path}/enable`)).location).toBe(`${path}?enabled`);
  expect((await owner.ask(path)).text).toContain('gets events');
});

test('a viewer sees it without the secrets of its address, and changes nothing', async () => {
  await save({ ...(await opened()), url: `${crm.url}?key=topsecret` });
  const viewer = await invited(world, owner, 'viewer');
  const { status, text } = await viewer.ask(path);
  expect(status).toBe(200);
  expect(text).not.toMatch(/topsecret|Send a test event|Make a new secret/);
  const form = { ...(await opened()), url: crm.url };
  for (const to of ['', '/secret', '/test', '/disable', '/remove'])
    expect([to, (await viewer.post(`${path}${to}`, form)).status]).toEqual([to, 403]);
  expect((await viewer.ask(`${path}/secret`)).status).toBe(403);
});
