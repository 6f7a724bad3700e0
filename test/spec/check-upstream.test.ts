/** [operator-interface §1] `check-upstream` names each mistake that an operator can make with the app, and what to do about it. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { builtFile } from '../support/built.ts';
import { Inbox } from '../support/inbox.ts';
import { adminToken, bootService, bootSimulator } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { World, newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const appId = '700100200300400';
const secret = 'example-app-secret-0001';
const simulator = await bootSimulator({ settings: { status_delay_ms: 5 } });
const inbox = await Inbox.open();
const PORT = String(await freePort());
const DATA_DIR = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
const headers = { authorization: `Bearer ${appId}|${secret}` };
const path = `${simulator.url}/v25.0/${appId}/subscriptions`;

interface Line {
  about: string;
  ok: boolean;
  says: string;
}

const linesOf = async (service: Service): Promise<Line[]> =>
  (await service.admin('GET', '/upstream')).body.checks;
const wrongOf = async (service: Service): Promise<string[]> =>
  (await linesOf(service)).filter(({ ok }) => !ok).map(({ about, says }) => `${about}: ${says}`);

let service: Service;
let chatapp: Channel;
let pagechat: Channel;
beforeAll(async () => {
  service = await bootService(simulator.url, { DATA_DIR, PORT });
  const world = new World(service, simulator, inbox);
  const account = await newAccount(service);
  chatapp = await world.connect(account, 'chatapp');
  pagechat = await world.connect(account, 'pagechat');
  await until('all to be right', async () => (await wrongOf(service)).length === 0);
}, 60_000);
afterAll(async () => {
  await service.stop();
  await simulator.stop();
  await inbox.close();
  await rm(DATA_DIR, { recursive: true, force: true });
});

/** The same service with other settings. */
async function restarted(settings: Record<string, string>): Promise<void> {
  await service.stop();
  service = await bootService(simulator.url, { DATA_DIR, PORT, UPSTREAM_APP_WEBHOOKS: 'check', ...settings });
}

async function cli(words: string[]) {
  const child = spawn(process.execPath, [builtFile('src/cli.js'), ...words, '--url', service.url], {
    env: { PATH: process.env['PATH'] ?? '', ADMIN_TOKEN: adminToken },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, out };
}

test('without a mistake each line is ok, and the exit code is 0; no secret is shown', async () => {
  const { code, out } = await cli(['check-upstream']);
  expect(out.split('\n').filter((line) => line !== '' && !line.startsWith('ok'))).toEqual([
    '2 channels looked at',
  ]);
  expect([code, out.includes(secret), out.includes('my-verify-token')]).toEqual([0, false, false]);
  for (const about of ['app', 'version', 'verification', 'dialog', 'webhooks page'])
    expect(out).toContain(`ok     ${about}: `);
  expect(out).toMatch(/^ok     webhooks page: \d+ fields of v25\.0, to http/m);
});

describe('planted in the app', () => {
  test.each([
    ['a wrong secret', { UPSTREAM_APP_SECRET: 'wrong' }, /^app: upstream refuses its id or secret/],
    ['a wrong id', { UPSTREAM_APP_ID: '1' }, /^app: upstream refuses its id or secret/],
    [
      'a sign-up without a version',
      { UPSTREAM_SIGNUP_EXTRAS: '{}' },
      /^dialog: UPSTREAM_SIGNUP_EXTRAS names no version/,
    ],
  ])('%s', async (_, settings, line) => {
    await restarted(settings);
    expect(await wrongOf(service)).toEqual([expect.stringMatching(line)]);
    await restarted({});
  });

  test('a version that upstream serves no more', async () => {
    await simulator.control('settings', { versions: ['v26.0', 'v27.0'] });
    expect(await wrongOf(service)).toEqual([
      'version: v25.0 is asked for and v26.0 served: set UPSTREAM_VERSION to a version that has not ended',
    ]);
    await simulator.control('settings', { versions: ['v21.0', 'v27.0'] });
  });

  test.each([
    [
      'no field for an object',
      () => call('DELETE', path, { headers, body: { object: 'page' } }),
      /^webhooks page: no subscription; needed: messages,/,
    ],
    [
      'one field missing',
      () => subscribed('page', callbackUrl(), ['messages']),
      /^webhooks page: missing: message_echoes,/,
    ],
    ['another callback', () => elsewhere(), /^webhooks page: they go to http.* and not to http/],
  ])('%s', async (_, plant, line) => {
    await plant();
    expect(await wrongOf(service)).toEqual([expect.stringMatching(line)]);
    const { code } = await cli(['admin', 'check-upstream']);
    expect(code).toBe(1);
    await restarted({ UPSTREAM_APP_WEBHOOKS: 'manage' });
    await call('DELETE', path, { headers, body: { object: 'page' } });
    await restarted({ UPSTREAM_APP_WEBHOOKS: 'manage' });
    await until('the app to be mended', async () => (await wrongOf(service)).length === 0);
  });

  test('a wrong verify token entered at the platform', async () => {
    const body = { object: 'page', callback_url: callbackUrl(), verify_token: 'another', fields: 'messages' };
    expect((await call('POST', path, { headers, body })).status).toBe(400);
    const line = await until('the line', async () =>
      (await wrongOf(service)).find((each) => each.startsWith('verification')),
    );
    expect(line).toMatch(
      /^verification: refused at .*: the verify token entered at the platform is not UPSTREAM_VERIFY_TOKEN$/,
    );
  });
});

const callbackUrl = (): string => `${service.url}/upstream/webhooks`;

async function subscribed(object: string, callback: string, fields: string[]): Promise<unknown> {
  const body = { object, callback_url: callback, verify_token: 'my-verify-token', fields: fields.join(',') };
  return call('POST', path, { headers, body });
}

async function elsewhere(): Promise<void> {
  const other = await bootService(simulator.url, { UPSTREAM_APP_WEBHOOKS: 'check' });
  await subscribed('page', `${other.url}/upstream/webhooks`, ['messages']);
  await other.stop();
}

describe('planted in a channel', () => {
  const wrongAt = async ({ id }: Channel): Promise<string[]> =>
    (await wrongOf(service)).filter((line) => line.includes(id));
  const tokenOf = async (channel: Channel): Promise<string> => {
    const { tokens } = await simulator.control('world');
    const page = tokens.find(
      ({ kind, subject }: Record<string, string>) => kind === 'page' && subject === channel.upstream,
    );
    return page.text;
  };

  test('a permission that its token lacks', async () => {
    await simulator.control('tokens/change', { asset: pagechat.upstream, without: ['pages_messaging'] });
    expect(await wrongAt(pagechat)).toEqual([
      expect.stringMatching(/its token lacks pages_messaging: connect it again and grant them$/),
    ]);
    const token = await call('GET', `${service.url}/admin/v1/upstream?channel_id=${pagechat.id}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    const shown = token.body.checks.find(({ about }: Line) => about === `token of pagechat ${pagechat.id}`);
    expect(shown.says).toMatch(/^scopes .*pages_manage_metadata.*; granular .*\(1 targets\).*; no end$/);
    expect([token.body.channels_looked_at, shown.says.includes('pages_messaging')]).toEqual([1, false]);
    expect(
      (await service.admin('GET', '/upstream?channel_id=01900000-0000-7000-8000-000000000000')).status,
    ).toBe(404);
    await simulator.control('tokens/change', { asset: pagechat.upstream, with: ['pages_messaging'] });
    expect(await wrongAt(pagechat)).toEqual([]);
  });

  test('a token that ends within two weeks', async () => {
    const day = 86_400_000;
    await simulator.control('tokens/change', { asset: chatapp.upstream, ends_in_ms: 15 * day });
    expect(await wrongAt(chatapp)).toEqual([]);
    await simulator.control('tokens/change', { asset: chatapp.upstream, ends_in_ms: 13 * day });
    expect(await wrongAt(chatapp)).toEqual([
      expect.stringMatching(/its token ends at .*Z: connect it again before$/),
    ]);
    await simulator.control('tokens/change', { asset: chatapp.upstream, ends_in_ms: 0 });
  });

  test('a page that is not subscribed', async () => {
    const token = await tokenOf(pagechat);
    await call('DELETE', `${simulator.url}/v25.0/${pagechat.upstream}/subscribed_apps`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await wrongAt(pagechat)).toEqual([expect.stringContaining('is not subscribed to the app')]);
  });

  test('an account that is not subscribed', async () => {
    const { businesses } = await simulator.control('world');
    const [{ waba_id: waba, waba_token: token }] = businesses;
    await call('DELETE', `${simulator.url}/v25.0/${waba}/subscribed_apps`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await wrongAt(chatapp)).toEqual([expect.stringContaining('is not subscribed to the app')]);
  });

  test('a callback that somebody set for the number alone', async () => {
    const { businesses } = await simulator.control('world');
    const other = await bootService(simulator.url, { UPSTREAM_APP_WEBHOOKS: 'check' });
    const override = {
      override_callback_uri: `${other.url}/upstream/webhooks`,
      verify_token: 'my-verify-token',
    };
    await call('POST', `${simulator.url}/v25.0/${chatapp.upstream}`, {
      headers: { authorization: `Bearer ${businesses[0].waba_token}` },
      body: { webhook_configuration: override },
    });
    await other.stop();
    expect(await wrongAt(chatapp)).toContainEqual(expect.stringContaining('another address'));
  });

  test('an ended token', async () => {
    await simulator.control('tokens/expire', { asset: pagechat.upstream });
    expect(await wrongAt(pagechat)).toEqual([expect.stringContaining('its token is refused')]);
  });
});
