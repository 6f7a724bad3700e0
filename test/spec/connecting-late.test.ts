/** [spec: Limits; exchange-code: expires; operator-interface §2 EXCHANGE_CODE_TTL_MS, SETUP_URL_TTL_MS] */
import { expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import {
  allowRedirect,
  codeIn,
  endParameters,
  exchange,
  freshCode,
  newBusiness,
  setupUrl,
  walkSetup,
} from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';

const [codeTtlMs, urlTtlMs] = [1_500, 1_500];
const world = sharedWorld({
  EXCHANGE_CODE_TTL_MS: String(codeTtlMs),
  SETUP_URL_TTL_MS: String(urlTtlMs),
});

/** The setup URL and the callback URL of a session that has just expired. */
async function lateSetup() {
  const { key } = await newAccount(world.service);
  await allowRedirect(world.service, key);
  const { body } = await setupUrl(world.service, key, 'pagechat');
  const dialog = (await call('GET', body.setup_url)).headers.get('location') ?? '';
  const callback = (await call('GET', `${dialog}&auto=allow`)).headers.get('location') ?? '';
  await until('the setup URL to expire', () => Date.now() >= Date.parse(body.expires_at));
  return { key, setup: body.setup_url, callback };
}

test('the setup URL is valid until expires_at; after that it is an error page without a redirect', async () => {
  const { setup } = await lateSetup();
  const answer = await call('GET', setup);
  expect([answer.status, answer.headers.get('location'), answer.headers.get('content-type')]).toEqual([
    404,
    null,
    'text/html; charset=utf-8',
  ]);
});

test('a person who returns from the dialog too late gets an error page, and nothing is connected', async () => {
  const { key, callback } = await lateSetup();
  const answer = await call('GET', callback);
  expect([answer.status, answer.headers.get('location')]).toEqual([410, null]);
  const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key });
  expect(body.available_slots.pagechat.total).toBe(1);
});

test('a code that has expired is 400 and releases slot and identity', async () => {
  const { key, code, business } = await freshCode(world);
  const handedOut = Date.now();
  await until('the code to expire', () => Date.now() >= handedOut + codeTtlMs);
  const late = await exchange(world.service, key, code);
  expect([late.status, late.body]).toEqual([400, { detail: 'code is unknown, expired or already used' }]);
  expect((await world.service.call('GET', '/api/v1/channels', { key })).body.total).toBe(0);
  const other = await newAccount(world.service);
  const end = await walkSetup(world, other.key, 'pagechat', { assets: [business.pages[0]?.id ?? ''] });
  expect((await exchange(world.service, other.key, codeIn(end))).status).toBe(200);
  const assets = [(await newBusiness(world.simulator)).pages[0]?.id ?? ''];
  expect(Object.keys(endParameters(await walkSetup(world, key, 'pagechat', { assets })))).toEqual(['code']);
});
