/** The README's examples are executed as they are written: only the ports differ. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addTemplates } from '../../src/app/demo/templates.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { asset, setupCode } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const clients = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block.trim());
const jsOf = (page: string): string[] =>
  [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
const blocks = blocksOf(readme);
const run = promisify(execFile);

const world = sharedWorld();
let channel: Channel;
/** For an exchange. */
let code = '';
/** To be answered. */
let received = '';
/** Of the file that was uploaded. */
let media = '';
/** Where a reader has the file that an example names. */
const folder = mkdtempSync(join(tmpdir(), 'trunkline-readme-'));
writeFileSync(join(folder, 'invoice.pdf'), '%PDF-1.4\n');
beforeAll(async () => {
  // As in the demo.
  await addTemplates(world.simulator.url);
  channel = await world.connected('chatapp');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A code block as a reader would paste it, for the service and simulator of this test. */
async function paste(block: string): Promise<unknown> {
  const script = block
    .replaceAll('localhost:3000', new URL(world.service.url).host)
    .replaceAll('localhost:3001', new URL(world.simulator.url).host);
  const env = {
    PATH: process.env['PATH'] ?? '',
    KEY: channel.key,
    CHANNEL: channel.id,
    CODE: code,
    MESSAGE: received,
    MEDIA: media,
  };
  const { stdout } = await run('bash', ['-c', script], { env, cwd: folder });
  return JSON.parse(stdout);
}

const blockWith = (text: string): string =>
  blocks.find((block) => block.includes(text)) ?? `no block has ${text}`;

describe('the README', () => {
  test('lists the channels of the account', async () => {
    expect(await paste(blockWith('/api/v1/channels'))).toMatchObject({
      total: 1,
      channels: [{ id: channel.id }],
    });
  });

  test('sends a text, whose signed events reach the receiver', async () => {
    const answer = await paste(blockWith('Hello from Trunkline'));
    expect(answer).toEqual({ success: true, message_id: expect.any(String), error: null, status: 'sent' });
    await world.inbox.event('message.delivered');
  });

  test('lets a person write back', async () => {
    expect(await paste(blockWith('/control/people/write'))).toMatchObject({ webhooks: 1 });
    await world.inbox.event('message.received');
  });

  test('shows an error answer', async () => {
    expect(await paste(blockWith('"recipient":"Mia"'))).toMatchObject({
      detail: { code: 'invalid_recipient' },
    });
  });

  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('links only to files that exist', () => {
    const linked = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** The member names of a value and of the values in it. */
function namesIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([name, each]) => [name, namesIn(each)]);
}

/** As `namesIn`, in any order. */
const sortedNames = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sortedNames(each)]));
};

describe('the page for API clients', () => {
  const ofClients = (text: string): string =>
    blocksOf(clients).find((block) => block.includes(text)) ?? `no block has ${text}`;

  test('whitelists a redirect pattern and starts a setup', async () => {
    const pattern = 'https://app.example.com/*';
    expect(await paste(ofClients('uri_pattern'))).toMatchObject({ uri_pattern: pattern });
    expect(await paste(ofClients('setup-url'))).toMatchObject({
      setup_url: expect.stringContaining('/setup/'),
    });
  });

  test('exchanges the code that a person brings back', async () => {
    code = await setupCode(world.service, world.simulator, channel.key, 'pagechat', asset.pagechat);
    expect(await paste(ofClients('exchange-code'))).toMatchObject({
      channel_type: 'pagechat',
      webhook_events: ['message.received'],
      webhook_secret: expect.stringMatching(/^whsec_/),
    });
  });

  test('follows the live events', async () => {
    const program = jsOf(clients).find((block) => block.includes('socket.io-client')) ?? '';
    const file = join(root, 'node_modules/.cache/trunkline', `live-${process.pid}.mjs`);
    await writeFile(file, program.replaceAll('localhost:3000', new URL(world.service.url).host));
    const child = spawn(process.execPath, [file], { env: { KEY: channel.key } });
    try {
      const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      expect((await said.next()).value).toBe('connected');
      await world.write(channel, { text: 'Anybody there?' });
      const { value } = await said.next();
      expect(value).toMatch(/^[0-9a-f-]{36} message.received/);
    } finally {
      child.kill();
      await rm(file);
    }
  });

  test('sends once, however often it is pasted', async () => {
    const [first, again] = [
      await paste(ofClients('Idempotency-Key')),
      await paste(ofClients('Idempotency-Key')),
    ];
    expect(first).toMatchObject({ success: true, status: 'sent' });
    expect(again).toEqual(first);
  });

  test('shows messages, requests, deliveries and health', async () => {
    expect(await paste(ofClients('/requests?'))).toMatchObject({ requests: expect.any(Array) });
    expect(await paste(ofClients('/messages?'))).toMatchObject({ messages: expect.any(Array) });
    expect(await paste(ofClients('/deliveries'))).toMatchObject({ deliveries: expect.any(Array) });
    expect(await paste(ofClients('/health'))).toMatchObject({ problems: expect.any(Array) });
  });

  test("lists templates and sends one, with the simulator's file", async () => {
    await world.service.call('GET', `/api/v1/channels/${channel.id}/templates`, { key: channel.key });
    expect(await paste(ofClients('templates?sync'))).toMatchObject({ templates: expect.any(Array) });
    for (const example of ['order_ready', 'cake_photo', 'pickup_place', 'cake_of_the_day', 'cake_choice'])
      expect([example, await paste(ofClients(example))]).toEqual([
        example,
        expect.objectContaining({ success: true, status: 'sent' }),
      ]);
  });

  test('answers a message, sends something to press and a place, and shows that it types', async () => {
    await world.write(channel, { text: 'When?' });
    const { event } = await world.inbox.event('message.received');
    received = String(event.data['message_id']);
    for (const example of ['"reply_to"', 'send-interactive', 'send-location'])
      expect(await paste(ofClients(example))).toMatchObject({ success: true, status: 'sent' });
    expect(await paste(ofClients('/typing'))).toEqual({ success: true });
  });

  test('uploads a file and sends it', async () => {
    const uploaded = await paste(ofClients('/api/v1/media'));
    expect(uploaded).toMatchObject({ media_id: expect.any(String) });
    media = Object(uploaded).media_id;
    expect(await paste(ofClients('"media_id"'))).toMatchObject({ success: true, status: 'sent' });
  });

  test('gives a second program an endpoint of its own', async () => {
    const url = 'https://crm.example.com/in';
    const secret = expect.stringMatching(/^whsec_/);
    expect(await paste(ofClients('/endpoints'))).toMatchObject({ url, secret });
  });

  test('a PATCH does not show the stored secret', async () => {
    expect(await paste(ofClients('echo_statuses'))).toMatchObject({ id: channel.id, webhook_secret: null });
  });

  test('keeps given-up events', async () => {
    expect(await paste(ofClients('failed_retention_days'))).toMatchObject({ id: channel.id });
    const { body } = await world.service.call('GET', '/api/v1/channels', { key: channel.key });
    expect(body.channels).toContainEqual(
      expect.objectContaining({ id: channel.id, failed_retention_days: 7 }),
    );
  });

  test('shows an event as it arrives', async () => {
    const [, shown = ''] = /```json\n(\{\n {2}"event"[^]*?)```/.exec(clients) ?? [];
    await world.write(channel, { text: 'Is my order ready?' });
    const { event: told } = await world.inbox.event('message.received');
    const example: unknown = JSON.parse(shown);
    expect(namesIn(example)).toEqual(namesIn(told));
  });

  const [, answers = ''] = /### What people answer\n([^]*?)\n### /.exec(clients) ?? [];
  const shownEvents = [...answers.matchAll(/```json\n([^]*?)```\n\n```sh\n([^]*?)```/g)];

  test('shows what people answer as it arrives, with the call that makes it happen', async () => {
    expect(shownEvents).toHaveLength(5);
    const body = { webhook_events: ['message.received', 'person.updated'] };
    await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key: channel.key, body });
    await paste(ofClients('send-interactive'));
    for (const [, shown = '', call = ''] of shownEvents) {
      const example: { event: string; data: object } = JSON.parse(shown);
      if (call.includes('"type":"button"')) await paste(ofClients('order_ready'));
      world.inbox.clear();
      expect(await paste(call)).toMatchObject({ webhooks: 1 });
      const { event: told } = await world.inbox.event(example.event);
      expect(sortedNames(told)).toEqual(sortedNames(example));
    }
  });

  test('has no example that is not executed here', () => {
    const pasted = [
      'uri_pattern',
      'setup-url',
      'Idempotency-Key',
      '/deliveries',
      '/health',
      'templates?sync',
    ];
    pasted.push('send-template', '-X PATCH', '/messages?', '/requests?', 'exchange-code');
    pasted.push('"reply_to"', 'send-interactive', 'send-location', '/typing');
    pasted.push('/api/v1/media', '"media_id"', '/endpoints', '/control/people/write');
    expect(blocksOf(clients).filter((block) => !pasted.some((word) => block.includes(word)))).toEqual([]);
  });
});
