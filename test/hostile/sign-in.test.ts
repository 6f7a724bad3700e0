/** [faults: 84, 87] Signing in at the portal without end: with wrong passwords, and with the right one. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { makeCsrfToken } from '../../src/portal/session/cookies.ts';
import { target } from './support.ts';
import type { Target } from './support.ts';

jest.setTimeout(60_000);

let attacked: Target | null = null;
afterEach(async () => {
  await attacked?.close();
  attacked = null;
});

const visit = 'v'.repeat(43);

/** Posts a form before sign-in, as the browser of a person at `address`: the load balancer in front adds the address. */
async function post(path: string, form: Record<string, string>, address: string): Promise<Response> {
  return fetch(`${attacked?.service.url}/portal/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `trunkline_visit=${visit}`, 'x-forwarded-for': address },
    body: new URLSearchParams({ csrf: makeCsrfToken(visit), ...form }),
  });
}

test('thirty wrong passwords of one client behind the load balancer lock out only that client', async () => {
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

const sessionIn = (answer: Response): string =>
  /trunkline_session=([\w-]{43})/.exec(answer.headers.getSetCookie().join())?.[1] ?? '';

/** Whether the session is signed in. */
async function isSignedIn(session: string): Promise<boolean> {
  const headers = { cookie: `trunkline_session=${session}` };
  const answer = await fetch(`${attacked?.service.url}/portal`, { headers, redirect: 'manual' });
  return answer.status === 200;
}

test('the right password over and over, from many addresses: refused before it is hashed; the newest twenty sessions remain', async () => {
  attacked = await target({ TRUST_PROXY_HOPS: '1' });
  const form = { email: 'busy@example.com', password: 'correct horse battery' };
  const sessions = [sessionIn(await post('sign-up', form, '192.0.2.1'))];
  let last = 302;
  for (let n = 0; n < 60 && last === 302; n += 1) {
    const answer = await post('sign-in', form, `198.51.100.${n}`);
    last = answer.status;
    if (last === 302) sessions.push(sessionIn(answer));
  }
  expect(last).toBe(429);
  expect(sessions.length).toBeGreaterThan(30);
  const held = await Promise.all(sessions.map(isSignedIn));
  expect(held).toEqual(sessions.map((_, index) => index >= sessions.length - 20));
});
