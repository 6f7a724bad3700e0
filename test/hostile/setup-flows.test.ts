/** [faults: 232] An account that signed itself up asks for setup URLs in a loop. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allowRedirect, home, setupUrl } from '../support/setup.ts';
import { newAccount } from '../support/world.ts';
import { target } from './support.ts';
import type { Target } from './support.ts';

let attacked: Target;
beforeAll(async () => {
  attacked = await target();
});
afterAll(() => attacked.close());

const longAddress = `${home}?state=${'s'.repeat(1_900)}`;
const callsAtOnce = 10;

test('has some hundred open flows, then 429 with the time to wait; other accounts go on', async () => {
  const { key } = await newAccount(attacked.service);
  const { key: other } = await newAccount(attacked.service);
  await allowRedirect(attacked.service, key);
  await allowRedirect(attacked.service, other);
  const statuses: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    const calls = Array.from({ length: callsAtOnce }, () =>
      setupUrl(attacked.service, key, 'chatapp', longAddress),
    );
    statuses.push(...(await Promise.all(calls)).map(({ status }) => status));
  }
  const answered = (wanted: number) => statuses.filter((status) => status === wanted).length;
  expect(answered(200)).toBeGreaterThanOrEqual(300);
  expect(answered(200)).toBeLessThan(300 + callsAtOnce);
  expect(answered(429)).toBe(statuses.length - answered(200));

  const { body, headers } = await setupUrl(attacked.service, key, 'chatapp', longAddress);
  expect(body.detail).toBe(
    'The account has 300 setup URLs that nobody has finished: use those, or start again after the time in Retry-After',
  );
  const waitSeconds = Number(headers.get('retry-after'));
  expect([waitSeconds > 1_700, waitSeconds <= 1_800]).toEqual([true, true]);
  expect((await setupUrl(attacked.service, other, 'chatapp')).status).toBe(200);
});
