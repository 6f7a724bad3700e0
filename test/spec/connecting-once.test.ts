/** [spec: Connecting a channel; Authentication; faults 77, 81, I12] The single-use parts of a setup flow. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import {
  allowRedirect,
  codeIn,
  exchange,
  freshCode,
  home,
  newBusiness,
  setupUrl,
  walkSetup,
} from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { follow, newAccount } from '../support/world.ts';

const world = sharedWorld();
/** The API key of an account without channels. */
let key: string;
beforeAll(async () => {
  key = await freshKey();
});

const codeNotValid = { detail: 'code is unknown, expired or already used' };

describe('the code is single-use', () => {
  test('a second exchange is 400', async () => {
    const { key: own, code } = await freshCode(world, 'photoapp');
    expect((await exchange(world.service, own, code)).status).toBe(200);
    const again = await exchange(world.service, own, code);
    expect([again.status, again.body]).toEqual([400, codeNotValid]);
  });

  test('of fifty concurrent exchanges of one code, one is 200, and one channel is made', async () => {
    const { key: own, code } = await freshCode(world);
    const racing = Array.from({ length: 50 }, () => exchange(world.service, own, code));
    const answers = await Promise.all(racing);
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect(winner?.status).toBe(200);
    expect(others.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 49 }, () => [400, codeNotValid]),
    );
    const { body } = await world.service.call('GET', '/api/v1/channels', { key: own });
    expect(body.channels.map(({ id }: { id: string }) => id)).toEqual([winner?.body.channel_id]);
  });

  test('a second flow for the same asset invalidates the code of the first', async () => {
    const { key: own, code, business } = await freshCode(world);
    const end = await walkSetup(world, own, 'pagechat', { assets: [business.pages[0]?.id ?? ''] });
    const first = await exchange(world.service, own, code);
    expect([first.status, first.body]).toEqual([400, codeNotValid]);
    expect((await exchange(world.service, own, codeIn(end))).status).toBe(200);
  });

  test.each([
    ['unknown', 'mfs1x2y3.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['empty', ''],
    ['of another shape', '../../etc/passwd'],
    ['of 100,000 characters', 'a'.repeat(100_000)],
  ])('%s it is 400 with the same body', async (_name, code) => {
    const answer = await exchange(world.service, key, code);
    expect([answer.status, answer.body]).toEqual([400, codeNotValid]);
  });

  test('the code of another account is 400 with the same body, and stays valid for its own', async () => {
    const { key: own, code } = await freshCode(world);
    const foreign = await exchange(world.service, key, code);
    expect([foreign.status, foreign.body]).toEqual([400, codeNotValid]);
    expect((await exchange(world.service, own, code)).status).toBe(200);
  });
});

describe('the setup URL and its state', () => {
  test('the setup URL may be opened again until the flow is finished, but not after that', async () => {
    const own = await freshKey();
    const { pages } = await newBusiness(world.simulator);
    const { body } = await setupUrl(world.service, own, 'pagechat');
    const dialogs = [await call('GET', body.setup_url), await call('GET', body.setup_url)];
    expect(dialogs.map(({ status }) => status)).toEqual([302, 302]);
    await world.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
    codeIn(await follow(body.setup_url, home));
    const used = await call('GET', body.setup_url);
    expect([used.status, used.headers.get('location')]).toEqual([404, null]);
  });

  test('a replayed callback gives no second code', async () => {
    const own = await freshKey();
    const { pages } = await newBusiness(world.simulator);
    const { body } = await setupUrl(world.service, own, 'pagechat');
    await world.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
    const dialog = (await call('GET', body.setup_url)).headers.get('location') ?? '';
    const callback = (await call('GET', dialog)).headers.get('location') ?? '';
    const first = await call('GET', callback);
    expect([first.status, codeIn(new URL(first.headers.get('location') ?? ''))]).toEqual([
      302,
      expect.any(String),
    ]);
    const replayed = await call('GET', callback);
    expect([replayed.status, replayed.headers.get('location')]).toEqual([410, null]);
  });

  test.each([
    ['no token', (url: URL) => url.searchParams.delete('token'), 404],
    ['another token', (url: URL) => url.searchParams.set('token', 'A'.repeat(43)), 404],
    ['two tokens', (url: URL) => url.searchParams.append('token', 'A'.repeat(43)), 404],
    ['another session', (url: URL) => (url.pathname = `/setup/${crypto.randomUUID()}`), 404],
    ['no session', (url: URL) => (url.pathname = '/setup/'), 404],
    ['a callback without state', (url: URL) => (url.pathname = '/setup/callback'), 400],
  ])('%s: an error page, no redirect', async (_name, spoil, status) => {
    const { body } = await setupUrl(world.service, key, 'chatapp');
    const url = new URL(body.setup_url);
    spoil(url);
    const answer = await call('GET', url.href);
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
  });

  test('the state of one flow does not finish another: a forged state is 410 and is not reflected', async () => {
    const { body: one } = await setupUrl(world.service, await freshKey(), 'pagechat');
    const { body: other } = await setupUrl(world.service, await freshKey(), 'pagechat');
    const token = new URL(one.setup_url).searchParams.get('token');
    const forged = `${world.service.url}/setup/callback?state=${other.session_id}.${token}&code=<script>x`;
    const answer = await call('GET', forged);
    expect([answer.status, answer.headers.get('location')]).toEqual([410, null]);
    expect(answer.text).not.toContain('script>x');
  });
});

async function freshKey(): Promise<string> {
  const { key: fresh } = await newAccount(world.service);
  await allowRedirect(world.service, fresh);
  return fresh;
}
