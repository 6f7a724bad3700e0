/** [faults: 84, 87] Signing in at the portal without end: with wrong passwords, and with the right one. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { csrfOf } from '../../src/portal/session/cookies.ts';
import { target } from './support.ts';
import type { Target } from './support.ts';

jest.setTimeout(60_000);

let attacked: Target | null = null;
afterEach(async () => {
  await attacked?.close();
  attacked = null;
});

const visit = 'v'.repeat(43);

/** A form before sign-in, as the browser of somebody at `address` posts it: the balancer in front names the address. */
async function post(path: string, form: Record<string, string>, address: string): Promise<Response> {
  return fetch(`${attacked?.service.url}/portal/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `trunkline_visit=${visit}`, 'x-forwarded-for': address },
    body: new URLSearchParams({ csrf: csrfOf(visit), ...form }),
  });
}

test('thirty wrong passwords of one client behind our balancer lock out that client alone', async () => {
  attacked = await target({ TRUST_PROXY_HOPS: '1' });
  const guess = (n: number, address: string) =>
    post('sign-in', { email: `somebody-${n}@example.com`, password: 'not the password' }, address);
  const guesses = await Promise.all(
    Array.from({ length: 31 }, (_, n) => guess(n, `2001:db8::${(n + 1).toString(16)}:0:0:1`)),
  );
  expect(guesses.map(({ status }) => status)).toEqual(expect.arrayContaining([401, 429]));
  expect((await guess(100, '2001:db8:0:0:1:2:3:4')).status).toBe(429);
  expect((await guess(101, '2001:db8:0:1::1')).status).toBe(401);
  expect((await guess(102, '192.0.2.1')).status).toBe(401);
});
