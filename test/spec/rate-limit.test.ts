/** [spec: HTTP status codes, 429; operator-interface §2 RATE_LIMIT_PER_SECOND, RATE_LIMIT_BURST; faults 84] */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, World } from '../support/world.ts';

const burst = 5;
const world = sharedWorld({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(burst) });

const list = (key: string): Promise<Answer> => world.service.call('GET', '/api/v1/redirects', { key });
const many = (count: number, key: string): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => list(key)));
const limited = { detail: 'Rate limit exceeded; retry after the time in Retry-After' };

/** Repeats a request until it is refused. */
async function exhaust(key: string): Promise<Answer> {
  for (;;) {
    const refused = (await many(burst, key)).find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
}

test('beyond the burst a request is 429 with Retry-After in whole seconds, and succeeds again after that time', async () => {
  const { key } = await newAccount(world.service);
  const began = performance.now();
  const answers = await many(burst + 15, key);
  const refilled = Math.ceil((performance.now() - began) / 1_000);
  const taken = answers.filter(({ status }) => status === 200).length;
  expect(taken).toBeGreaterThanOrEqual(burst);
  expect(taken).toBeLessThanOrEqual(burst + refilled);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body, headers }) => [status, body, headers.get('retry-after')])).toEqual(
    refused.map(() => [429, limited, '1']),
  );
  // Exactly as long as the service asked for.
  await wait(Number(refused.at(-1)?.headers.get('retry-after')) * 1_000);
  expect((await list(key)).status).toBe(200);
});

test('the limit is per API key: another key, even of the same account, is not affected', async () => {
  const { key, accountId } = await newAccount(world.service);
  const { body } = await world.service.admin('POST', `/accounts/${accountId}/keys`);
  await exhaust(key);
  expect((await list(body.api_key)).status).toBe(200);
});

test('every operation counts, and a refused one has no effect', async () => {
  const { key } = await newAccount(world.service);
  const body = { uri_pattern: 'https://app.example.com/*' };
  const add = () => world.service.call('POST', '/api/v1/redirects', { key, body });
  await exhaust(key);
  const answers = await Promise.all([add(), add(), add(), add(), add(), add()]);
  const added = answers.filter(({ status }) => status === 201).length;
  expect(added).toBeLessThan(answers.length);
  await wait(1_000);
  expect((await list(key)).body.redirects.length).toBe(Math.min(1, added));
});

test('health, contract, upstream and operators are not limited', async () => {
  const paths = ['/healthz', '/readyz', '/openapi.json', '/admin/v1/nodes'];
  const headers = { authorization: 'Bearer test-admin-token-of-32-characters' };
  const calls = paths.flatMap((path) =>
    Array.from({ length: 3 * burst }, () => call('GET', `${world.service.url}${path}`, { headers })),
  );
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('RATE_LIMIT_PER_SECOND=0 turns the limit off', async () => {
  const open = await World.open({ RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_BURST: '1' });
  const { key } = await newAccount(open.service);
  const calls = Array.from({ length: 30 }, () => open.service.call('GET', '/api/v1/redirects', { key }));
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  await open.close();
});

test('an address that guesses keys gets 429 after a while; valid keys are accepted, known or new', async () => {
  const { key } = await newAccount(world.service);
  const guess = () => list(`mip_live_${crypto.randomUUID().replaceAll('-', '')}abcdefghijk`);
  expect((await guess()).status).toBe(401);
  expect((await list(key)).status).toBe(200);
  const statuses: number[] = [];
  // An address has a hundred guesses, and ten more a second: how many it takes to use them up depends on the machine.
  while (!statuses.includes(429)) {
    const answers = await Promise.all(Array.from({ length: 25 }, guess));
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(statuses.indexOf(429)).toBeGreaterThan(90);
  expect((await list(key)).status).toBe(200);
  expect((await list((await newAccount(world.service)).key)).status).toBe(200);
});
