/** [spec: Connecting a channel 5; faults 78] Upstream fails in the middle of a setup flow. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { codeIn, endParameters, exchange, freshCode, newBusiness, walkSetup } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';

const world = sharedWorld();
afterEach(() => call('DELETE', `${world.simulator.url}/control/faults`));

const fail = (path: string, fault: Record<string, unknown>, method?: string): Promise<unknown> =>
  world.simulator.control('faults', { match: { path, ...(method ? { method } : {}) }, ...fault });
const fired = async (): Promise<number> => {
  const { faults } = await world.simulator.control('faults');
  return faults.reduce((sum: number, one: { fired: number }) => sum + one.fired, 0);
};
const channelsOf = async (key: string) =>
  (await world.service.call('GET', '/api/v1/channels', { key })).body.channels;

describe('during the callback', () => {
  test.each([
    ['the token call is refused', 'oauth/access_token', { act: 'refuse', code: 2, status: 500 }],
    ['the connection is reset', 'oauth/access_token', { act: 'reset' }],
    ['it answers HTML', 'oauth/access_token', { act: 'html' }],
    ['it answers nothing', 'oauth/access_token', { act: 'empty' }],
    ['it answers half a JSON', 'oauth/access_token', { act: 'truncated' }],
    ['it answers 10 MB', 'oauth/access_token', { act: 'big' }],
    ['it puts a token into its error', 'oauth/access_token', { act: 'leak_token' }],
  ])('%s: the person returns with an error, and can start again', async (_name, path, fault) => {
    const { key } = await newAccount(world.service);
    const { pages } = await newBusiness(world.simulator);
    const assets = [pages[0]?.id ?? ''];
    await fail(path, { ...fault, times: 0 });
    expect(endParameters(await walkSetup(world, key, 'pagechat', { assets }))).toEqual({
      error: 'upstream_failed',
      error_description: 'The platform did not complete the connection; start the setup again.',
    });
    expect(await fired()).toBeGreaterThan(0);
    await call('DELETE', `${world.simulator.url}/control/faults`);
    const end = await walkSetup(world, key, 'pagechat', { assets });
    expect((await exchange(world.service, key, codeIn(end))).status).toBe(200);
  });
});

describe('a call of the callback that is not needed', () => {
  test.each([
    ['the list of pages is half a JSON', 'me/accounts', { act: 'truncated' }],
    ['the list of pages has 10 MB', 'me/accounts', { act: 'big' }],
    ['the list of permissions is refused', 'me/permissions', { act: 'leak_token' }],
  ])('%s: the token itself names what was granted', async (_name, path, fault) => {
    const { key } = await newAccount(world.service);
    const { pages } = await newBusiness(world.simulator);
    await fail(path, { ...fault, times: 0 });
    const end = await walkSetup(world, key, 'pagechat', { assets: [pages[0]?.id ?? ''] });
    expect(await fired()).toBeGreaterThan(0);
    expect((await exchange(world.service, key, codeIn(end))).status).toBe(200);
  });
});

describe('during exchange-code', () => {
  const refusal = { act: 'refuse', code: 2, status: 503, message: 'Service temporarily unavailable' };

  test('a short failure is invisible: the subscription is retried', async () => {
    const { key, code } = await freshCode(world);
    await fail('subscribed_apps', { ...refusal, times: 2 }, 'POST');
    expect((await exchange(world.service, key, code)).status).toBe(200);
    expect(await fired()).toBe(2);
  });

  test.each(['photoapp', 'pagechat', 'chatapp'] as const)(
    '%s: a failure is 502, the channel is not active, and the same code works once upstream is back',
    async (type) => {
      const { key, code } = await freshCode(world, type);
      await fail('subscribed_apps', { ...refusal, times: 0 }, 'POST');
      const failed = await exchange(world.service, key, code);
      expect([failed.status, failed.body]).toEqual([
        502,
        { detail: 'Upstream platform error: Service temporarily unavailable (code 2)' },
      ]);
      expect(await fired()).toBe(3);
      expect((await channelsOf(key)).filter((one: { is_active: boolean }) => one.is_active)).toEqual([]);
      await call('DELETE', `${world.simulator.url}/control/faults`);
      const again = await exchange(world.service, key, code);
      expect(again.status).toBe(200);
      expect(
        (await channelsOf(key)).map(({ id, is_active }: Record<string, unknown>) => [id, is_active]),
      ).toEqual([[again.body.channel_id, true]]);
      expect((await exchange(world.service, key, code)).status).toBe(400);
    },
  );

  test('a number whose registration fails is connected, registered with one call, and its health says so', async () => {
    const { key, code, business } = await freshCode(world, 'chatapp');
    await world.simulator.control('numbers', { phone_number_id: business.phones[0]?.id, registered: false });
    await fail('/register', { ...refusal, times: 0 });
    const { status, body } = await exchange(world.service, key, code);
    const health = await world.service.call('GET', `/api/v1/channels/${body.channel_id}/health`, { key });
    const codes = health.body.problems.map((problem: { code: string }) => problem.code);
    expect([status, await fired(), codes]).toEqual([
      200,
      1,
      expect.arrayContaining(['registration_pending']),
    ]);
  });

  test("an access token in upstream's error text is not disclosed", async () => {
    const { key, code } = await freshCode(world);
    await fail('subscribed_apps', { act: 'leak_token', times: 0 }, 'POST');
    const { status, text } = await exchange(world.service, key, code);
    expect(status).toBe(400);
    expect(text).not.toMatch(/EAA\w/);
  });
});

test('during DELETE: the channel becomes inactive nevertheless', async () => {
  const { key, code } = await freshCode(world);
  const { channel_id: id } = (await exchange(world.service, key, code)).body;
  await fail('subscribed_apps', { act: 'reset', times: 0 }, 'DELETE');
  const answer = await world.service.call('DELETE', `/api/v1/channels/${id}`, { key });
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
  expect((await channelsOf(key))[0].is_active).toBe(false);
  // The subscription ends after the answer.
  await until('the call that fails', async () => (await fired()) === 1);
});
