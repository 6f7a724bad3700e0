/** An addition to the specification: what a key may do. Generated from the route table. [faults: 375] */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hashSecret } from '../../src/kernel/ids.ts';
import { apiKeyPrefix } from '../../src/rules/api-key.ts';
import { grantedBits, neededBits, scopes, tidyScopes } from '../../src/rules/scopes.ts';
import type { Scope } from '../../src/rules/scopes.ts';
import { routeTable } from '../../src/features/route-table.ts';
import type { ApiRoute } from '../../src/http/route.ts';
import type { World } from '../../src/features/world.ts';
import { aKey } from '../stores/conformance/samples.ts';
import { openHouse } from './house.ts';
import type { House } from './house.ts';
import { caller, someId } from './support.ts';
import type { Running } from './support.ts';

const ofApi = routeTable.flatMap((route): [string, ApiRoute<World>][] =>
  route.audience === 'api' ? [[`${route.method.toUpperCase()} ${route.path}`, route]] : [],
);

let house: House;
let service: Running;
const keys = new Map<string, string>();

beforeAll(async () => {
  house = await openHouse();
  service = await house.run();
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

/** A key with exactly these scopes; null: from before scopes. */
async function keyWith(given: readonly Scope[] | null): Promise<string> {
  const name = given === null ? 'old' : given.join(' ');
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = apiKeyPrefix + String(keys.size).padStart(43, 's');
  keys.set(name, key);
  await house.stores.keys.insert(aKey(caller.accountId, { hash: hashSecret(key), scopes: given }), 50);
  return key;
}

async function ask({ method, path, bodySchema }: ApiRoute<World>, key: string) {
  return service.ask(path.replaceAll(/\{\w+\}/g, someId), {
    method: method.toUpperCase(),
    headers: { 'x-api-key': key },
    ...(bodySchema === null ? {} : { body: {} }),
  });
}

test.each(ofApi)('%s: a key without its scope gets 403, which names the scope', async (_name, route) => {
  const others = scopes.filter((scope) => scope !== 'admin' && !route.needs.includes(scope));
  const { status, body } = await ask(route, await keyWith(others));
  const [scope] = route.needs;
  const message = `This API key lacks the scope ${route.needs.join(' or ')}`;
  const detail = { code: 'scope_missing', message, scope, any_of: [...route.needs] };
  expect([status, body]).toEqual([403, { detail }]);
});

test.each(ofApi)('%s: a key with any of its scopes passes', async (_name, route) => {
  const enough = [...route.needs.map((scope) => [scope]), ['admin' as const], null];
  for (const given of enough) expect((await ask(route, await keyWith(given))).status).not.toBe(403);
});

test('a key without the scope is refused before its body is read', async () => {
  const [, send] = ofApi[0] ?? [];
  if (send === undefined) throw new Error('no route');
  const answer = await service.ask(send.path, {
    method: 'POST',
    headers: { 'x-api-key': await keyWith(['templates:write']) },
    body: '{"broken',
  });
  expect(answer.status).toBe(403);
});

test('each refusal is in the log of requests, with its code', async () => {
  const [, route] = ofApi[0] ?? [];
  if (route === undefined) throw new Error('no route');
  const { requestLog } = house.world;
  const logged: unknown[] = [];
  const other = await house.run({
    callEnded: (call) => logged.push([call.status, call.code]) && requestLog.ended(call),
  });
  await other.ask(route.path, {
    method: 'POST',
    headers: { 'x-api-key': await keyWith(['templates:write']) },
  });
  await other.stop();
  expect(logged).toEqual([[403, 'scope_missing']]);
});

test('what an unknown word of a later version grants: nothing', () => {
  const later: Scope[] = JSON.parse('["later:scope"]');
  expect(grantedBits(later)).toBe(0);
});

test('bits: admin and keys from before scopes have all', () => {
  expect(grantedBits(['admin'])).toBe(grantedBits(null));
  expect(scopes.map((scope) => grantedBits(['messages:send']) & neededBits([scope]))).toEqual([
    1, 0, 0, 0, 0,
  ]);
  expect(tidyScopes(['templates:write', 'messages:send', 'messages:send'])).toEqual([
    'messages:send',
    'templates:write',
  ]);
  expect(tidyScopes(['messages:send', 'admin'])).toEqual(['admin']);
});
