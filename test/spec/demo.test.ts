/** [operator-interface §1] `npm run demo`: a complete send and receive with nothing else installed. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { areFree, firstOfThreeFree } from '../support/ports.ts';
import { cameBack, Visitor } from '../pages/visitor.ts';
import { until } from '../support/until.ts';

/** A start takes some seconds on an idle machine. */
const timeoutMs = 120_000;

const port = await firstOfThreeFree();
const ports = [port, port + 1, port + 2];

describe('npm run demo', () => {
  let demo: ChildProcess;
  let temporary = '';
  const seen = { text: '' };

  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'demo-test-'));
    demo = spawn('npm', ['run', '--silent', 'demo'], {
      cwd: join(import.meta.dirname, '../..'),
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        TMPDIR: temporary,
        DEMO_PORT: String(port),
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer): void => {
      seen.text += chunk.toString();
    };
    demo.stdout?.on('data', keep);
    demo.stderr?.on('data', keep);
    await until('the walk-through', () => seen.text.includes('Events (stop the demo'), timeoutMs);
  }, timeoutMs);
  afterAll(async () => {
    // All of it: npm, its shell, the demo, the service, the simulator.
    if (demo.pid !== undefined && demo.exitCode === null && demo.signalCode === null)
      process.kill(-demo.pid, 'SIGKILL');
    await rm(temporary, { recursive: true, force: true });
  });

  /** What the demo prints from now on. */
  async function printed(words: string): Promise<true> {
    const from = seen.text.length;
    return until(`the demo to print ${words}`, () => seen.text.slice(from).includes(words));
  }

  test('first prints what it starts', () => {
    expect(seen.text.split('\n')[0]).toBe(
      `Trunkline demo: starting service :${port}, upstream simulator :${port + 1}, webhook receiver :${port + 2} …`,
    );
  });

  test('prints an API key, a connected channel of each type and commands to paste', () => {
    expect(seen.text).toMatch(/API key +mip_live_/);
    for (const type of ['chatapp', 'photoapp', 'pagechat'])
      expect(seen.text).toMatch(new RegExp(`  ${type} +[0-9a-f-]{36}   \\S`));
  });

  const curlLines = (): string[] => seen.text.split('\n').filter((line) => line.startsWith('curl '));

  test('each printed command works unchanged', async () => {
    const key = /^export KEY=(\S+)$/m.exec(seen.text)?.[1] ?? '';
    const lines = curlLines();
    expect(lines).toHaveLength(13);
    for (const line of lines)
      expect([line, await run(line, key)]).toEqual([line, expect.stringMatching(/^[^]*2\d\d$/)]);
  });

  test('narrates a send, an inbound text, its copy to the further endpoint, a read and a retried webhook', async () => {
    const key = /^export KEY=(\S+)$/m.exec(seen.text)?.[1] ?? '';
    const lineWith = (words: string): string => curlLines().find((line) => line.includes(words)) ?? '';
    const sent = printed('message.sent');
    expect(await run(lineWith('Hello from chatapp'), key)).toContain('"status":"sent"');
    await sent;
    const failed = printed('answered 500');
    const copied = printed('endpoint chatapp  message.received  attempt 1, signature ok, answered 200');
    await run(lineWith('/fail?'), key);
    await run(lineWith('people/write'), key);
    await failed;
    await copied;
    await printed('signature ok, answered 200');
    expect(seen.text).not.toContain('BAD SIGNATURE');
  });

  test("its person has pressed a template's quick reply", async () => {
    const key = /^export KEY=(\S+)$/m.exec(seen.text)?.[1] ?? '';
    const path = `http://localhost:${port}/api/v1/messages?direction=inbound`;
    const answer = await fetch(path, { headers: { 'x-api-key': key } });
    const { messages } = JSON.parse(await answer.text());
    const pressed = { person: '4915900000777', type: 'unsupported', status: 'received' };
    expect(messages).toContainEqual(expect.objectContaining(pressed));
  });

  test('does not call the signature wrong for a channel whose secret the demo does not know', async () => {
    const lines = printed('signature not checked, answered 200');
    const event = {
      event: 'message.received',
      channel_id: 'of-the-portal',
      channel_type: 'pagechat',
      data: {},
    };
    await fetch(`http://localhost:${port + 2}/webhooks`, { method: 'POST', body: JSON.stringify(event) });
    expect(await lines).toBe(true);
  });

  test("the simulator's address answers a page that leads to the chat", async () => {
    const address = /Simulator +(\S+)/.exec(seen.text)?.[1] ?? '';
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    const href = /href="([^"]*chat)"/.exec(await answer.text())?.[1] ?? '';
    expect([answer.status, (await fetch(new URL(href, address))).status]).toEqual([200, 200]);
  });

  /** A browser page of the demo's portal. */
  const browsing = (): Visitor => new Visitor({ service: { url: `http://localhost:${port}` } });

  test('the printed credentials sign in to its account, which has one day of data', async () => {
    const [, email = '', chosen = ''] = /Sign in +(\S+) with the password: (.+)/.exec(seen.text) ?? [];
    const visitor = browsing();
    await visitor.ask('/portal/sign-in');
    const signedIn = await visitor.post('/portal/sign-in', { email, password: chosen });
    expect(signedIn.location).toBe('/portal');
    const key = /^export KEY=(\S+)$/m.exec(seen.text)?.[1] ?? '';
    const id = /^export CHANNEL=(\S+)/m.exec(seen.text)?.[1] ?? '';
    const log = async (): Promise<{ state: string; attempts: unknown[] }[]> => {
      const path = `http://localhost:${port}/api/v1/channels/${id}/deliveries?limit=200`;
      const answer = await fetch(path, { headers: { 'x-api-key': key } });
      return JSON.parse(await answer.text()).deliveries;
    };
    const deliveries = await until(
      'the delivery that is given up',
      async () => {
        const all = await log();
        return all.some(({ state }) => state === 'failed') && all;
      },
      timeoutMs,
    );
    const retried = deliveries.filter(({ state, attempts }) => state === 'delivered' && attempts.length > 1);
    expect([retried.length > 0, deliveries.length > 10]).toEqual([true, true]);
    for (const [path, empty] of [
      ['/portal/deliveries', 'class="empty"'],
      ['/portal/templates', 'class="empty"'],
      ['/portal/channels', 'class="empty"'],
      ['/portal/keys', 'class="empty"'],
      ['/portal/redirects', 'class="empty"'],
      ['/portal/mails', 'class="empty"'],
      ['/portal', 'Three steps'],
    ] as const) {
      const page = await visitor.ask(path);
      expect([path, page.status, page.text.includes(empty)]).toEqual([path, 200, false]);
    }
    const bars = ['delivered', 'retried', 'given-up'].map((of) => `<rect class="${of}"`);
    const parts = ['1 event of ', 'Your trial (pro)', 'class="tiles"', ...bars];
    await until('each part of Home to show something', async () => {
      const { text } = await visitor.ask('/portal');
      return parts.every((part) => text.includes(part));
    });
  });

  test.each(['chatapp', 'photoapp', 'pagechat'])(
    'a new account connects a simulated channel through its dialog without changes: %s',
    async (kind) => {
      const visitor = browsing();
      await visitor.ask('/portal/sign-up');
      const email = `own-${kind}@example.com`;
      expect((await visitor.post('/portal/sign-up', { email, password: 'a password of mine' })).status).toBe(
        302,
      );
      const started = await visitor.post('/portal/channels/connect', { channel_type: kind });
      const shown = await fetch(started.location ?? '');
      const dialog = await shown.text();
      const field = /name="(login)" value="([^"]+)"/.exec(dialog);
      const form = new URLSearchParams({ decision: 'allow', [field?.[1] ?? '']: field?.[2] ?? '' });
      for (const [, name = '', value = ''] of dialog.matchAll(
        /type="checkbox" name="(\w+)" value="([^"]+)"/g,
      ))
        form.append(name, value);
      const allowed = await fetch(shown.url, { method: 'POST', body: form, redirect: 'manual' });
      const page = await cameBack(
        { service: { url: `http://localhost:${port}` } },
        visitor,
        allowed.headers.get('location'),
      );
      expect(page.location).toContain('connected');
    },
  );

  // npm passes SIGTERM through npm and a shell: neither may swallow it. Ctrl-C goes to the whole process group.
  test('SIGTERM, and Ctrl-C after it, end the demo and leave neither a process nor a folder behind', async () => {
    expect(dataFolders(await readdir(temporary))).toHaveLength(1);
    demo.kill('SIGTERM');
    process.kill(-(demo.pid ?? 0), 'SIGINT');
    expect(await until('the ports to be free', () => areFree(ports))).toBe(true);
    await until('the folder to be gone', async () => dataFolders(await readdir(temporary)).length === 0);
    expect(seen.text).not.toContain('has stopped');
  });
});

const dataFolders = (names: readonly string[]): string[] =>
  names.filter((name) => name.startsWith('trunkline-demo-'));

/** Runs a printed command in a shell; returns its output and the HTTP status after it. */
function run(line: string, key: string): Promise<string> {
  const shell = spawn('bash', ['-c', `${line} -w '\\n%{http_code}'`], {
    env: { PATH: process.env['PATH'] ?? '', KEY: key },
  });
  return new Promise((resolve, reject) => {
    let text = '';
    shell.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    shell.once('error', reject);
    shell.once('close', () => resolve(text));
  });
}
