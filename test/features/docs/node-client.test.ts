/** The Node client, unpacked from its archive as an installer does. [operator-interface §4; spec: Authentication 7, 9, Errors] */
import { createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ledger, newPerson } from '../../support/sends.ts';
import { uuid } from '../../support/shapes.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import type { Channel } from '../../support/world.ts';
import { archive, ScriptedService, unpack } from './client-archives.ts';

const world = sharedWorld();
let folder = '';
let channel: Channel;
let scripted: ScriptedService;
// oxlint-disable-next-line typescript/no-explicit-any
let clients: any;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'node-client-'));
  const { bytes } = await archive(world.service.url, '.tgz');
  await unpack(bytes, folder);
  clients = await import(join(folder, 'package/index.mjs'));
  channel = await world.connected('chatapp');
  scripted = await ScriptedService.open();
});
afterAll(async () => {
  scripted.close();
  await rm(folder, { recursive: true, force: true });
});

const real = () => new clients.Trunkline({ baseUrl: `${world.service.url}/`, apiKey: channel.key });
const other = (settings: Record<string, unknown> = {}) =>
  new clients.Trunkline({ baseUrl: scripted.url, apiKey: 'mip_live_x', ...settings });
const text = { channel_id: 'c', recipient: '1', text: 'hi' };

/** What a call throws. */
// oxlint-disable-next-line typescript/no-explicit-any
const refusalOf = async (call: Promise<unknown>): Promise<any> => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(clients.TrunklineError);
  return error;
};

describe('with a service', () => {
  test('sends, and repeats with the same key get the same answer: one message', async () => {
    const [recipient, idempotencyKey] = [newPerson('chatapp'), newPerson('chatapp')];
    const message = { channel_id: channel.id, recipient, text: 'from the client' };
    const first = await real().sendText(message, { idempotencyKey });
    expect(first).toEqual({
      success: true,
      message_id: expect.stringMatching(uuid),
      error: null,
      status: 'sent',
    });
    expect(await real().sendText(message, { idempotencyKey })).toEqual(first);
    expect(await ledger(world.simulator, { recipient })).toHaveLength(1);
  });

  test('iterates over a list of several pages; or over the pages; or takes the first', async () => {
    const made: string[] = [];
    for (const path of ['a', 'b', 'c']) {
      const { id } = await real().addRedirect({ uri_pattern: `https://list.example.com/${path}` });
      made.push(id);
    }
    const found: string[] = [];
    for await (const { id } of real().listRedirects({ limit: 1 })) found.push(id);
    expect(found.filter((id) => made.includes(id)).toSorted()).toEqual(made.toSorted());
    const sizes: number[] = [];
    for await (const { redirects } of real().listRedirects({ limit: 2 }).pages())
      sizes.push(redirects.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(found.length);
    expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).map(() => 2));
    const whole = await real().listRedirects().first();
    expect(whole.redirects).toHaveLength(found.length);
  });

  test('uploads a file, and sends it', async () => {
    const file = new File([Buffer.from('a picture')], 'cake.jpg', { type: 'image/jpeg' });
    const upload = await real().uploadMedia({ file, channel_id: channel.id, media_type: 'image' });
    expect(upload).toMatchObject({ mime_type: 'image/jpeg', file_size: 9, filename: 'cake.jpg' });
    const media = { channel_id: channel.id, media_type: 'image', media_id: upload.media_id };
    expect((await real().sendMedia({ ...media, recipient: newPerson('chatapp') })).status).toBe('sent');
  });

  test('gives a channel another endpoint, and takes it away', async () => {
    const channel_id = channel.id;
    const url = 'https://crm.example.com/in';
    const { id, secret } = await real().addEndpoint({ channel_id, url, events: ['message.received'] });
    expect(secret).toMatch(/^whsec_/);
    const place = { channel_id, endpoint_id: id };
    const { disabled_at } = await real().updateEndpoint({ ...place, is_enabled: false });
    expect(disabled_at).toMatch(/^20/);
    const listed: string[] = [];
    for await (const each of real().listEndpoints({ channel_id })) listed.push(each.id);
    expect(listed).toEqual([id]);
    expect(await real().removeEndpoint(place)).toEqual({ success: true });
  });

  test('reads what is given for a file: a path, bytes, a stream, an open file, with a name or none', async () => {
    const path = join(folder, 'Kuchen.pdf');
    await writeFile(path, '%PDF-1.7');
    const bytes = Buffer.from('%PDF-1.7');
    const opened = await open(path);
    const given: [unknown, string | null][] = [
      [path, 'Kuchen.pdf'],
      [pathToFileURL(path), 'Kuchen.pdf'],
      [createReadStream(path), 'Kuchen.pdf'],
      [opened, null],
      [bytes, null],
      [new Uint8Array(bytes).buffer, null],
      [new Blob([bytes]), null],
      [new Blob([bytes]).stream(), null],
      [['Torte.pdf', bytes], 'Torte.pdf'],
      [['Torte', bytes, 'application/pdf'], 'Torte'],
    ];
    const found: unknown[] = [];
    for (const [file] of given) {
      const upload = { file, channel_id: channel.id, media_type: 'document', mime_type: 'application/pdf' };
      const { file_size, filename } = await real().uploadMedia(upload);
      found.push([filename, file_size]);
    }
    await opened.close();
    expect(found).toEqual(given.map(([, name]) => [name, 8]));
    expect(
      await real().uploadMedia({ file: path, channel_id: channel.id, media_type: 'document' }),
    ).toMatchObject({
      mime_type: 'application/pdf',
    });
  });

  test('throws for what is no file, and asks nothing', async () => {
    scripted.script({});
    for (const file of [
      { path: '/tmp/x.pdf' },
      7,
      null,
      undefined,
      ['a.pdf', 'text'],
      Readable.from(['text']),
    ])
      await expect(other().uploadMedia({ file, channel_id: 'c' })).rejects.toThrow(TypeError);
    await expect(other().uploadMedia({ file: Buffer.from('x'), channel_id: {} })).rejects.toThrow(TypeError);
    expect(scripted.asked).toEqual([]);
  });

  test('a refusal has status, code, detail and request id', async () => {
    const coded = await refusalOf(real().sendText({ ...text, channel_id: channel.id, recipient: '' }));
    expect(coded).toMatchObject({ status: 400, code: 'invalid_recipient', detail: { reason: 'empty' } });
    expect(coded.requestId).toMatch(uuid);
    const { message, reason, hint } = coded.detail;
    expect([coded.message, reason]).toEqual([`400: ${message}. ${hint}`, 'empty']);
    const listed = await refusalOf(real().sendText({ channel_id: channel.id, recipient: '1' }));
    expect(listed).toMatchObject({ status: 422, code: null, detail: [{ loc: ['body', 'text'] }] });
    expect(listed.message).toBe('422: body.text: Field required');
    const said = await refusalOf(real().readChannel({ channel_id: 'x' }));
    expect([said.status, said.message]).toEqual([404, '404: Channel not found']);
  });

  test('a refusal of another form is told in words all the same', async () => {
    const messageOf = async (detail: unknown): Promise<string> => {
      scripted.script({ status: 502, body: { detail } });
      return (await refusalOf(other().addRedirect({ uri_pattern: 'x' }))).message;
    };
    expect([
      await messageOf({ reason: 'no upstream' }),
      await messageOf(['no upstream', { loc: ['body', 'text'], msg: 'Too long' }, 7]),
      await messageOf(null),
    ]).toEqual(['502: {"reason":"no upstream"}', '502: body.text: Too long', '502: null']);
  });

  test('a delivery is verified by both signatures; an old, changed or foreign one is refused', async () => {
    const from = newPerson('chatapp');
    await world.write(channel, { text: 'Grüße 👋' }, from);
    const [arrival] = await world.inbox.next(1, ({ event }) => event.data['from'] === from);
    const { raw = Buffer.of(), headers = {}, event } = arrival ?? {};
    const { verifyWebhook, verifyBody, WebhookError } = clients;
    const secret = channel.webhookSecret;
    expect(verifyWebhook(secret, raw, headers)).toEqual(event);
    expect(verifyBody(secret, raw.toString(), new Headers({ ...Object(headers) }))).toEqual(event);
    const at = Number(headers['webhook-timestamp']) * 1000;
    const withoutNewOne = { ...headers, 'webhook-signature': undefined };
    const refused: (() => unknown)[] = [
      () => verifyWebhook(secret, raw, headers, { now: at + 301_000 }),
      () => verifyWebhook(secret, raw, headers, { now: at - 301_000 }),
      () => verifyWebhook(secret, raw, { ...headers, 'webhook-timestamp': String(at / 1000 + 1) }),
      () => verifyWebhook(secret, Buffer.concat([raw, Buffer.from(' ')]), headers),
      () => verifyWebhook('whsec_other', raw, headers),
      () => verifyWebhook(secret, raw, withoutNewOne),
      () => verifyBody('whsec_other', raw, headers),
      () => verifyBody(secret, raw, {}),
    ];
    for (const verify of refused) expect(verify).toThrow(WebhookError);
    expect(() => verifyWebhook(secret, event, headers)).toThrow(TypeError);
  });
});

describe('repeats a call', () => {
  test('that was not done, whatever it is; and a send whose answer was lost, under its one key', async () => {
    scripted.script({ status: 429, headers: { 'retry-after': '0' } }, { status: 201, body: { id: 'r' } });
    expect(await other().addRedirect({ uri_pattern: 'x' })).toEqual({ id: 'r' });
    scripted.script('none', { status: 503, headers: { 'retry-after': '0' } }, { body: { status: 'sent' } });
    expect(await other().sendText(text)).toEqual({ status: 'sent' });
    const keys = scripted.asked.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([expect.stringMatching(uuid), keys[0], keys[0]]);
  });

  test('and that does no harm twice: a message is marked as read', async () => {
    scripted.script('none', { body: { success: true } });
    expect(await other().markRead({ message_id: 'm', channel_id: 'c' })).toEqual({ success: true });
    expect(scripted.asked).toHaveLength(2);
  });

  test('but not what may have been done, nor for longer than it may wait, nor more often than it may try', async () => {
    scripted.script('none');
    expect(await refusalOf(other().addRedirect({ uri_pattern: 'x' }))).toMatchObject({ status: null });
    expect(scripted.asked).toHaveLength(1);
    scripted.script({ status: 503, headers: { 'retry-after': '0' } });
    expect(await refusalOf(other().addRedirect({ uri_pattern: 'x' }))).toMatchObject({ status: 503 });
    expect(scripted.asked).toHaveLength(1);
    scripted.script({ status: 429, headers: { 'retry-after': '3600' }, body: { detail: 'Too many' } });
    const busy = await refusalOf(other().sendText(text));
    expect([busy.retryAfter, busy.detail, scripted.asked.length]).toEqual([3600, 'Too many', 1]);
    scripted.script({ status: 500 });
    await refusalOf(other({ tries: 2 }).listChannels().first());
    expect(scripted.asked).toHaveLength(2);
  });

  test('not at all once its caller has aborted it', async () => {
    scripted.script('none');
    await expect(other().sendText(text, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(scripted.asked).toEqual([]);
  });
});

test('a key is not carried to where a redirect leads, and a path cannot be left by its ids', async () => {
  scripted.script({ status: 302, headers: { location: '/elsewhere' } });
  expect(await refusalOf(other().listChannels().first())).toMatchObject({ status: 302 });
  expect(scripted.asked.map(({ url }) => url)).toEqual(['/api/v1/channels']);
  scripted.script({});
  await other().readChannel({ channel_id: '../admin?x' });
  expect(scripted.asked.map(({ url }) => url)).toEqual(['/api/v1/channels/..%2Fadmin%3Fx']);
  await expect(other().readChannel({ channel_id: '..' })).rejects.toThrow(TypeError);
});

describe('the address of the service', () => {
  const address = 'baseUrl must be the address of the service, like https://inbox.example.com';
  const http = 'baseUrl must be https, or others read the key: allowHttp takes it as it is';
  test.each([
    [undefined, address],
    ['', address],
    ['inbox.example.com', address],
    ['localhost:3000', address],
    ['https://inbox.example.com?a=b', address],
    ['https://me:secret@inbox.example.com', address],
    ['https://inbox.example.com/api/v1', 'baseUrl must be given without /api/v1'],
    ['https://inbox.example.com/api/v1/', 'baseUrl must be given without /api/v1'],
    ['http://inbox.example.com', http],
    ['HTTP://192.0.2.7:3000', http],
    ['http://127.0.0.1.example.com', http],
    ['http://localhost.example.com', http],
  ])('%s is refused before a call', (baseUrl, message) => {
    expect(() => other({ baseUrl })).toThrow(new TypeError(message));
  });

  test.each([
    'https://inbox.example.com/behind/',
    ' http://localhost:3000\n',
    'http://demo.localhost',
    'http://[::1]:3000',
    'http://127.8.9.1',
    new URL('https://inbox.example.com'),
  ])('%s is taken', (baseUrl) => {
    expect(() => other({ baseUrl })).not.toThrow();
  });

  test('http elsewhere is taken if that is said', () => {
    expect(() => other({ baseUrl: 'http://inbox.example.com', allowHttp: true })).not.toThrow();
    expect(() => other({ baseUrl: 'http://inbox.example.com', allowHttp: 'no' })).toThrow(http);
  });

  test('positional arguments, as other clients take them, are refused in words', () => {
    expect(() => new clients.Trunkline('https://inbox.example.com', 'mip_live_x')).toThrow(/^apiKey must be/);
    expect(() => new clients.Trunkline()).toThrow(/^apiKey must be/);
  });
});

test('an empty secret verifies nothing, and what is no key is not quoted in an error', () => {
  const { verifyBody, verifyWebhook } = clients;
  const at = String(Math.floor(Date.now() / 1_000));
  const mac = (signed: string) => createHmac('sha256', '').update(signed);
  const headers = {
    'webhook-id': 'a',
    'webhook-timestamp': at,
    'webhook-signature': `v1,${mac(`a.${at}.{}`).digest('base64')}`,
    'x-webhook-signature': `sha256=${mac('{}').digest('hex')}`,
  };
  expect(() => verifyWebhook('', '{}', headers)).toThrow(TypeError);
  expect(() => verifyBody('', '{}', headers)).toThrow(TypeError);
  for (const apiKey of ['mip_live_x\ny', '', undefined])
    expect(() => other({ apiKey })).toThrow('apiKey must be given, in ASCII without white space');
});
