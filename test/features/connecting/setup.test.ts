import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { caller, someId } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { assetOf } from '../support/outside.ts';
import { openedSetup, redirectUri } from '../support/service.ts';

let house: House;
let service: Running;
/** Over a store that is down: whatever it answers without 503 took no store call. */
let away: Running;
beforeAll(async () => {
  house = await openHouse();
  await house.features.addRedirect(caller, 'https://app.example.com/*');
  service = await house.run();
  const { world } = house;
  const down = () => Promise.reject(new StoreUnavailable('x'));
  const setupSessions = { ...world.stores.setupSessions, open: down, finish: down };
  away = await house.run({ world: { ...world, stores: { ...world.stores, setupSessions } } });
});
beforeEach(() => void house.upstream.codes.splice(0));
afterAll(async () => {
  await Promise.all([service.stop(), away.stop()]);
  await house.close();
});

const unknownToken = 'w'.repeat(43);
const foreign = `${someId}.${unknownToken}`;

describe('GET /setup/{session_id}', () => {
  test("302 to upstream's dialog, without the token", async () => {
    const { setupUrl } = await house.features.startSetup(caller, { channelType: 'photoapp', redirectUri });
    const { pathname, search, searchParams } = new URL(setupUrl);
    const answer = await service.ask(`${pathname}${search}`);
    const state = `${pathname.split('/').at(-1)}.${searchParams.get('token')}`;
    const asked = {
      channelType: 'photoapp',
      redirectUri: 'https://service.example/setup/callback',
      state,
    } as const;
    const dialog = house.upstream.dialogUrl(asked);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, dialog]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('an unknown or expired link: a page that says what to do', async () => {
    const answer = await service.ask(`/setup/${someId}?token=${unknownToken}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain('start connecting the channel again');
    // Whoever comes back after the end of the flow, as by a bookmark, may have a channel.
    expect(answer.text).toContain('look there first');
    expect(answer.text).not.toContain('Nothing was connected');
  });

  test.each([
    '',
    '?token=',
    '?token=a&token=b',
    '?token=%00',
    `?token=${'x'.repeat(500)}`,
    '?token=<script>',
  ])('%p gets the same page, without a store call', async (query) => {
    const answer = await away.ask(`/setup/${someId}${query}`);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('<script>');
  });

  test('while the store is down: a page with 503', async () => {
    const answer = await away.ask(`/setup/${someId}?token=${unknownToken}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  });
});

describe('GET /setup/callback', () => {
  const callback = (query: string, over = service) => over.ask(`/setup/callback?${query}`);
  const begun = () => openedSetup(house, caller, 'chatapp');

  test("302 to the client's redirect_uri", async () => {
    house.upstream.assets.set('AQB.x-_#', [assetOf('chatapp', '422300000000002')]);
    const answer = await callback(`code=AQB.x-_%23&state=${await begun()}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^https:\/\/app\.example\.com\/connected\?code=[\w.-]+#$/),
    ]);
    expect(house.upstream.codes).toEqual(['AQB.x-_#']);
  });

  test.each([
    [
      "the person's refusal is passed on as an error code",
      'error=access_denied&error_reason=user_denied&error_description=Permissions+error&',
    ],
    ['neither code nor error counts as a refusal', ''],
  ])('%s', async (_name, query) => {
    const answer = await callback(`${query}state=${await begun()}`);
    const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '');
    expect([`${origin}${pathname}`, searchParams.get('error')]).toEqual([redirectUri, 'access_denied']);
    expect(house.upstream.codes).toEqual([]);
  });

  test.each(['', `state=${foreign}&`])(
    'a dialog that did not open, with %p: its number is logged once a minute',
    async (state) => {
      house.clock.pass(60_000);
      const before = house.told.length;
      for (const code of ['1349168', '7']) {
        const answer = await callback(`${state}error_code=${code}&error_message=URL+Blocked`);
        expect([answer.status, answer.text.includes('URL Blocked')]).toEqual([
          state === '' ? 400 : 410,
          false,
        ]);
        expect(answer.text.includes('refused to open its dialog')).toBe(state === '');
      }
      expect(house.told.slice(before)).toMatchObject([{ msg: 'setup.dialog-refused', code: 1_349_168 }]);
    },
  );

  test.each([
    '',
    'code=x',
    'state=',
    'state=a&state=b',
    'state=%00',
    'state=<b>',
    `state=${'x'.repeat(600)}`,
  ])('%p: 400 and a page, without a store call', async (query) => {
    const answer = await callback(query, away);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });

  test('a foreign, expired or replayed state: 410 and a page', async () => {
    expect((await callback(`code=x&state=${foreign}`)).status).toBe(410);
  });

  test('no parameter is reflected', async () => {
    const answer = await callback(
      `state=${foreign}&error=hacked&error_description=call-this-number&code=mark-me`,
    );
    for (const word of ['hacked', 'call-this-number', 'mark-me', unknownToken])
      expect(answer.text).not.toContain(word);
  });

  test('pages run no scripts and cannot be framed', async () => {
    const policy = (await callback('')).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
  });
});
