/** [operator-interface §1, §3] `npm run admin`, as an operator types it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';
import { adminToken } from '../support/service.ts';
import { connectOwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';

const world = sharedWorld();

async function admin(words: string[], token = adminToken) {
  const cli = spawn(process.execPath, [builtFile('src/app/admin-cli.js'), ...words], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'] ?? '', ADMIN_TOKEN: token },
  });
  let [out, problem] = ['', ''];
  cli.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  cli.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()));
  const code = await new Promise((resolve) => cli.once('close', resolve));
  return { code, out, problem: problem.trim() };
}

test('without --json, answers are tables', async () => {
  const { accountId } = await newAccount(world.service);
  const { code, out } = await admin(['accounts', '--limit', '1', '--url', world.service.url]);
  const [cursor, , title, heads, row] = out.split('\n');
  expect([code, cursor?.split('  ')[0], title]).toEqual([0, 'next_cursor', 'accounts:']);
  expect(heads).toMatch(/^account_id +email +name +suspended_at +suspension_reason +note +created_at$/);
  expect(row?.startsWith(`${accountId}  `)).toBe(true);
});

test('the CLI lists and shows accounts; with --json, stdout is JSON', async () => {
  const { accountId } = await newAccount(world.service);
  const list = await admin(['accounts', '--limit', '1', '--json', '--url', world.service.url]);
  expect([list.code, list.problem]).toEqual([0, '']);
  expect(JSON.parse(list.out).accounts[0].account_id).toBe(accountId);
  const one = await admin(['account', accountId, '--json', '--url', `${world.service.url}/`]);
  expect(JSON.parse(one.out)).toMatchObject({ account_id: accountId, keys: [{}], channels: [] });
});

test('channels of a problem are listed, for people and as JSON; another problem has none', async () => {
  const { channel, asset } = await connectOwnAsset(world, 'chatapp');
  await world.simulator.control('account-updates', { waba_id: asset, event: 'ACCOUNT_RESTRICTION' });
  const url = ['--url', world.service.url];
  const list = await until('the channel to be listed', async () => {
    const { out } = await admin(['channels', '--problem', 'account_restricted', '--json', ...url]);
    return out.includes(channel.id) ? JSON.parse(out) : null;
  });
  expect(list).toMatchObject({
    channels: [
      { channel_id: channel.id, problems: [{ code: 'account_restricted', since: expect.any(String) }] },
    ],
    next_cursor: null,
  });
  const { code, out } = await admin(['channels', ...url]);
  expect([code, out.includes('code=account_restricted')]).toEqual([0, true]);
  const others = await admin(['channels', '--problem', 'sends_paused', '--json', ...url]);
  expect(JSON.parse(others.out)).toEqual({ channels: [], next_cursor: null });
  expect((await admin(['channels', '--problem', 'no_such_thing', ...url])).code).toBe(1);
});

test.each<[string, string[], string, string?]>([
  [
    'a field the service refuses',
    ['create-account', '--email', 'nobody'],
    '422: the service refused these values\n  email: Value error, must be an e-mail address',
  ],
  ['what is not there', ['revoke-key', 'nothing'], '404: API key not found'],
  [
    'a wrong token',
    ['nodes'],
    '401: Missing or invalid admin token\nThe admin token is wrong',
    'wrong-token-of-32-characters-----',
  ],
])('%s is a sentence on stderr, and exit code 1', async (_, words, problem, token = adminToken) => {
  const { code, out, problem: told } = await admin([...words, '--url', world.service.url], token);
  expect([code, out]).toEqual([1, '']);
  expect(told).toContain(problem);
});

test('if no service answers, the error names the address that was tried', async () => {
  const { code, problem } = await admin(['nodes', '--url', 'http://127.0.0.1:1']);
  expect([code, problem]).toEqual([
    1,
    expect.stringMatching(/^no answer from http:\/\/127\.0\.0\.1:1 \(.*\): does the service run there/),
  ]);
});

test('a malformed command line exits with code 2', async () => {
  expect(await admin(['acounts'])).toMatchObject({ code: 2, out: '' });
});
