/** The clients' archives, taken by the installers, and the programs of their page, run as they stand. [operator-interface §4; spec: Authentication 7, 9] */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findProgram } from '../../support/executables.ts';
import { freePort } from '../../support/ports.ts';
import { areServicesRequired } from '../../support/required.ts';
import { ledger, newPerson } from '../../support/sends.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { until } from '../../support/until.ts';
import type { Channel } from '../../support/world.ts';
import { archive, ScriptedService } from './client-archives.ts';

const run = promisify(execFile);
const shown = join(import.meta.dirname, '../../../src/features/docs/clients');
const modules = join(import.meta.dirname, '../../../node_modules');
const world = sharedWorld();
let folder = '';
let channel: Channel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packaged-clients-'));
  channel = await world.connected('chatapp');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the page's programs: one sends and lists, one receives the event of a message. */
async function expectFirstUse(command: string, ending: string, at: string, more: Record<string, string>) {
  const port = String(await freePort());
  const [BASE_URL, KEY, WEBHOOK_SECRET] = [world.service.url, channel.key, channel.webhookSecret];
  const options = { cwd: at, env: { ...process.env, ...more, BASE_URL, KEY, WEBHOOK_SECRET, PORT: port } };
  const recipient = newPerson('chatapp');
  const { stdout } = await run(command, [`send.${ending}`, channel.id, recipient, 'hello'], options);
  const [status, newest] = stdout.split('\n');
  expect([status?.trim(), newest]).toEqual(['sent', expect.stringContaining(` outbound ${recipient}`)]);
  await expectAnswer(command, ending, options);
  const receiver = spawn(command, [`receive.${ending}`], options);
  try {
    let said = '';
    receiver.stdout.on('data', (bytes: Buffer) => void (said += bytes.toString()));
    await until('the receiver listens', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' }).catch(
        () => null,
      );
      return answer?.status === 401 ? true : null;
    });
    const settings = { webhook_url: `http://127.0.0.1:${port}/` };
    await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key: channel.key, body: settings });
    const from = newPerson('chatapp');
    await world.write(channel, { text: 'Grüße' }, from);
    expect(await until('the event', () => (said.includes('\n') ? said : null))).toBe(`${from} Grüße\n`);
  } finally {
    receiver.kill();
    const settings = { webhook_url: world.inbox.url };
    await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key: channel.key, body: settings });
  }
}

/** The page's program that answers a message. */
async function expectAnswer(command: string, ending: string, options: { cwd: string; env: object }) {
  const from = newPerson('chatapp');
  await world.write(channel, { text: 'The invoice?' }, from);
  const [asked] = await world.inbox.next(1, ({ event }) => event.data['from'] === from);
  await writeFile(join(options.cwd, 'invoice.pdf'), '%PDF-1.7');
  const given = [
    `answer.${ending}`,
    channel.id,
    String(asked?.event.data['message_id']),
    from,
    'invoice.pdf',
  ];
  const { stdout } = await run(command, given, { ...options, env: { ...options.env } });
  expect(stdout).toBe('sent sent\n');
  const [document, buttons] = (await ledger(world.simulator, { recipient: from })).toSorted(
    (a, b) => a.n - b.n,
  );
  expect([document?.type, document?.more, buttons?.type]).toEqual([
    'document',
    expect.objectContaining({ context: { message_id: expect.any(String) } }),
    'interactive',
  ]);
}

test('Node: npm installs it, a strict TypeScript program compiles, the programs of the page work', async () => {
  const at = join(folder, 'node');
  await mkdir(at);
  const { file, bytes } = await archive(world.service.url, '.tgz');
  await writeFile(join(at, file), bytes);
  await writeFile(join(at, 'package.json'), '{"type":"module"}');
  const quietly = ['--offline', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['install', ...quietly, `./${file}`], { cwd: at });
  await cp(join(shown, 'node'), at, {
    recursive: true,
    filter: (path) => !/(client|files|index|settings|webhooks)(\.d)?\.mt?s$/.test(path),
  });
  await symlink(join(modules, '@types'), join(at, 'node_modules/@types'));
  const program = `import { createReadStream } from 'node:fs';
import { Trunkline, TrunklineError, verifyWebhook } from 'trunkline-client';
const trunkline = new Trunkline({ baseUrl: 'http://127.0.0.1:9', apiKey: '' });
export async function use(): Promise<string[]> {
  const { status } = await trunkline.sendText({ channel_id: '', recipient: '', text: '', preview_url: true });
  const event = verifyWebhook('', '', new Headers());
  const said: string[] = event.event === 'message.received' ? [event.data.from, event.data.text ?? ''] : [];
  for await (const { id } of trunkline.listTemplates({ channel_id: '' })) said.push(id);
  await trunkline.updateChannel({ channel_id: '', webhook_secret: null });
  for (const file of ['/tmp/a.pdf', Buffer.from(''), createReadStream('/tmp/a.pdf'), ['a.pdf', new Uint8Array(1)] as [string, Uint8Array]])
    await trunkline.uploadMedia({ channel_id: '', media_type: 'document', file });
  // @ts-expect-error no file
  await trunkline.uploadMedia({ channel_id: '', media_type: 'document', file: { path: '' } });
  // @ts-expect-error a text is missing
  await trunkline.sendText({ channel_id: '', recipient: '' });
  return [...said, status ?? '', String(new TrunklineError('').code === 'text_too_long')];
}
`;
  await writeFile(join(at, 'use.ts'), program);
  const how = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    'use.ts',
  ];
  await run(join(modules, '.bin/tsc'), how, { cwd: at });
  await expectFirstUse(process.execPath, 'mjs', at, {});
});

const python = findProgram('python3') ?? (areServicesRequired ? 'python3' : null);
const pythonTest = python === null ? test.skip : test;

/** The wheel in a folder of its own; a program imports it as it is. */
async function wheel(): Promise<{ at: string; path: string }> {
  const at = await mkdtemp(join(folder, 'python-'));
  const { file, bytes } = await archive(world.service.url, '.whl');
  await writeFile(join(at, file), bytes);
  return { at, path: join(at, file) };
}

pythonTest('Python: the wheel is whole, as its record says', async () => {
  const { at, path } = await wheel();
  await run('python3', ['-m', 'zipfile', '-e', path, at]);
  const { stdout } = await run('python3', ['-m', 'zipfile', '-l', path]);
  const names = stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(' ')[0] ?? '');
  const record = names.find((name) => name.endsWith('/RECORD')) ?? '';
  const lines = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(at, name));
      const digest = createHash('sha256').update(bytes).digest('base64url');
      return name === record ? `${name},,` : `${name},sha256=${digest},${bytes.length}`;
    }),
  );
  expect((await readFile(join(at, record), 'utf8')).trim().split('\n')).toEqual(lines);
  expect(await readFile(join(at, record, '../METADATA'), 'utf8')).toMatch(/^Version: 1\.2\.0\+[0-9a-f]{8}$/m);
});

pythonTest(
  'Python: sends once, pages, repeats what does no harm, tells refusals, verifies deliveries',
  async () => {
    const { path } = await wheel();
    const scripted = await ScriptedService.open();
    const notDone = { status: 429, headers: { 'retry-after': '0' } };
    const later = { status: 429, headers: { 'retry-after': '3600' }, body: { detail: 'Too many' } };
    const elsewhere = { status: 302, headers: { location: '/elsewhere' } };
    scripted.script(
      notDone,
      { body: { id: 'r' } },
      'none',
      { body: { status: 'sent' } },
      'none',
      later,
      elsewhere,
      'none',
      { body: { success: true } },
      { status: 502, body: { detail: { reason: 'no upstream' } } },
      { status: 502, body: { detail: ['no upstream', { loc: ['body', 'text'], msg: 'Too long' }] } },
    );
    const [recipient, from] = [newPerson('chatapp'), newPerson('chatapp')];
    await world.write(channel, { text: 'Grüße 👋' }, from);
    const [delivery] = await world.inbox.next(1, ({ event }) => event.data['from'] === from);
    const signed = [channel.webhookSecret, JSON.stringify(delivery?.headers), String(delivery?.raw)];
    const given = [world.service.url, scripted.url, channel.key, channel.id, recipient, ...signed];
    const env = { ...process.env, PYTHONPATH: path };
    try {
      const { stdout } = await run('python3', [join(import.meta.dirname, 'client-program.py'), ...given], {
        env,
      });
      const said = JSON.parse(stdout);
      expect(said.sent).toEqual([expect.objectContaining({ status: 'sent', error: null }), said.sent[0]]);
      expect(said.listed).toEqual([true, true]);
      expect(said.uploaded).toEqual(['image/jpeg', 9, 'Kuchen "1".jpg']);
      expect(said.guessed).toBe('application/pdf');
      expect(said.endpoint).toEqual([true, true, { success: true }]);
      const named = ['Kuchen.pdf', 'Kuchen.pdf', 'Kuchen.pdf', null, null, null, null, 'Torte.pdf', 'Torte'];
      expect(said.files).toEqual(named.map((name) => [name, 8]));
      expect(said.three).toBe('application/pdf');
      expect(said['no files']).toEqual(said['no files'].map(() => 'TypeError'));
      expect([said['no files'].length, said['no field'], said.marked]).toEqual([
        7,
        'TypeError',
        { success: true },
      ]);
      expect(said.coded).toMatchObject({
        status: 400,
        code: 'invalid_recipient',
        detail: { reason: 'empty' },
      });
      const address = 'base_url must be the address of the service, like https://inbox.example.com';
      const insecure = 'base_url must be https, or others read the key: allow_http takes it as it is';
      expect(said.messages).toEqual([
        `400: ${said.coded.detail.message}. ${said.coded.detail.hint}`,
        address,
        address,
        'base_url must be given without /api/v1',
        insecure,
        insecure,
        'api_key must be given, in ASCII without white space',
      ]);
      expect(said.taken).toEqual(said.taken.map(() => null));
      expect(said['not found']).toMatchObject({ status: 404, code: null, detail: 'Channel not found' });
      expect(said.verified).toEqual([delivery?.event, delivery?.event]);
      expect(said.refused).toEqual(said.refused.map(() => 'WebhookError'));
      expect(said.repeated).toEqual([{ id: 'r' }, { status: 'sent' }]);
      expect(said['not repeated']).toEqual([
        expect.objectContaining({ status: null }),
        { status: 429, code: null, detail: 'Too many', retry_after: 3600 },
        expect.objectContaining({ status: 302 }),
      ]);
      expect(said['other forms']).toEqual(["502: {'reason': 'no upstream'}", '502: body.text: Too long']);
      expect([said.dots, said['no secret'], said['no key']]).toEqual([
        'ValueError',
        'ValueError',
        'ValueError',
      ]);
      const keys = scripted.asked.map(({ idempotencyKey }) => idempotencyKey);
      expect(keys.slice(2, 4)).toEqual([keys[2], keys[2]]);
      expect(scripted.asked).toHaveLength(11);
    } finally {
      scripted.close();
    }
  },
);

/** A proxy that is busy. `asked`: what it was asked for. */
async function busyProxy(): Promise<{ url: string; asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const proxy = http
    .createServer(({ url }, response) => {
      asked.push(String(url));
      response.writeHead(503).end();
    })
    .on('connect', ({ url }, socket) => {
      asked.push(String(url));
      socket.end('HTTP/1.1 503 Busy\r\n\r\n');
    });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url, asked, close: () => void proxy.close() };
}

/** Lists the channels of the service at this address in three tries; returns the words of the refusal. */
async function refusalOf(base: string, env: Record<string, string>): Promise<string> {
  const { path } = await wheel();
  const program = `import trunkline_client as c\ntry: c.Trunkline("${base}", "k", tries=3).list_channels().first()\nexcept c.TrunklineError as error: print(error)`;
  const { stdout } = await run('python3', ['-c', program], {
    env: { PATH: process.env['PATH'], PYTHONPATH: path, ...env },
  });
  return stdout.trim();
}

pythonTest('Python: behind a proxy, each try of a call is made with TLS', async () => {
  const proxy = await busyProxy();
  try {
    await refusalOf('https://service.example', { https_proxy: proxy.url });
    expect(proxy.asked).toEqual(Array.from({ length: 3 }, () => 'service.example:443'));
  } finally {
    proxy.close();
  }
});

pythonTest(
  'Python: no proxy gets the key of a call to this machine; a refusal of any form is told',
  async () => {
    const proxy = await busyProxy();
    const scripted = await ScriptedService.open();
    const places = [
      { loc: null, msg: 'a' },
      { loc: 7, msg: 'b' },
      { msg: 'c' },
      { loc: ['body', 0], msg: 'd' },
    ];
    scripted.script({ status: 422, body: { detail: places } });
    try {
      for (const base of [scripted.url, scripted.url.replace('127.0.0.1', 'localhost')])
        expect(await refusalOf(`${base}/?#`, { http_proxy: proxy.url })).toBe(
          '422: : a; : b; : c; body.0: d',
        );
      expect(scripted.asked.map(({ url, key }) => [url, key])).toEqual([
        ['/api/v1/channels', 'k'],
        ['/api/v1/channels', 'k'],
      ]);
      expect(proxy.asked).toEqual([]);
    } finally {
      scripted.close();
      proxy.close();
    }
  },
);

pythonTest('Python: the programs of the page work', async () => {
  const { at, path } = await wheel();
  await cp(join(shown, 'python'), at, { recursive: true });
  await expectFirstUse('python3', 'py', at, { PYTHONPATH: path });
});
