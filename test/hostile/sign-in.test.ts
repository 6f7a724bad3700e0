/** [faults: 84, 87] Signing in at the portal without end: with wrong passwords, and with the right one. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { makeCsrfToken } from '../../src/pages/session/cookies.ts';
import { until } from '../support/until.ts';
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
async function post(
  path: string,
  form: Record<string, string>,
  address: string,
  cookies: readonly string[] = [],
): Promise<Response> {
  return fetch(`${attacked?.service.url}/portal/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [`trunkline_visit=${visit}`, ...cookies].join('; '), 'x-forwarded-for': address },
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

/** The cookies that an answer leaves in the browser, but for the session: the person has signed out since. */
const cookiesOf = (answer: Response): string[] =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.startsWith('trunkline_session='));

/** Strangers from everywhere: `count` guesses under way at any time, five of each network, until `stop` is called. */
function flood(count: number): { statuses: readonly number[]; stop: () => Promise<void> } {
  const statuses: number[] = [];
  let [tries, isOver] = [0, false];
  const guess = async (): Promise<void> => {
    while (!isOver) {
      tries += 1;
      const network = Math.floor(tries / 5);
      const from = `2001:db8:${network.toString(16)}::1`;
      const form = { email: `stranger-${tries}@example.com`, password: 'not the password' };
      statuses.push((await post('sign-in', form, from)).status);
    }
  };
  const guessing = Array.from({ length: count }, guess);
  const stop = async (): Promise<void> => {
    isOver = true;
    await Promise.all(guessing);
  };
  return { statuses, stop };
}

test('while strangers fill every place of the hashing: whoever signed in before gets in each time', async () => {
  attacked = await target({ TRUST_PROXY_HOPS: '1' });
  const form = { email: 'known@example.com', password: 'correct horse battery' };
  await post('sign-up', form, '192.0.2.1');
  const cookies = cookiesOf(await post('sign-in', form, '192.0.2.1'));
  const { statuses, stop } = flood(130);
  await until('the places to be taken', () => statuses.includes(503));
  const known = [];
  for (let n = 0; n < 12; n += 1)
    known.push((await post('sign-in', form, `198.51.100.${n}`, cookies)).status);
  const sameAddress = (await post('sign-in', form, '192.0.2.1')).status;
  await stop();
  expect(known).toEqual(Array.from({ length: 12 }, () => 302));
  expect(sameAddress).toBe(302);
  // Nobody was refused for his tries: a place that was refused is no try.
  expect(new Set(statuses)).toEqual(new Set([401, 503]));
});
