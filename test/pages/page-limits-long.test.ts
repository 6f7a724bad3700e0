/** [faults: 182] A client that asks for too many pages gets a page that says so, and when it may ask again. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { pagesOf } from '../../src/http/middleware/page-limits.ts';
import { openHouse } from '../http/house.ts';
import type { House } from '../http/house.ts';
import { assetOf } from '../features/support/outside.ts';
import { openedSetup } from '../features/support/service.ts';
import { caller, StillClock } from '../http/support.ts';
import type { Answer, Running } from '../http/support.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

let service: Running;
let clock: StillClock;
beforeEach(async () => {
  clock = new StillClock();
  service = await house.run({
    clock,
    trustProxyHops: 1,
    findVisitor: async (secret) => ({
      personId: secret,
      email: `${secret}@example.com`,
      role: 'owner',
      mayAct: true,
      accountName: null,
      isSuspended: false,
      suspendedWhy: null,
      caller,
    }),
  });
});
afterEach(() => service.stop());

/** A URL of the portal that is answered without any feature: it redirects to its form's page. */
const asPerson = (who: string): Promise<Answer> =>
  service.ask('/portal/deliveries/again', {
    headers: { cookie: `__Host-trunkline_session=${who.padEnd(43, '-')}` },
  });
/** `/portal` redirects, which is cheaper than a page. */
const asStranger = (address: string, path = '/portal'): Promise<Answer> =>
  service.ask(path, { headers: { 'x-forwarded-for': address } });

async function ask(times: number, one: () => Promise<Answer>): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let n = 0; n < times; n += 1) statuses.add((await one()).status);
  return statuses;
}

test('a person has three hundred pages at once, then thirty a second; others do not wait', async () => {
  const { burst, perSecond } = pagesOf.person;
  expect(await ask(burst, () => asPerson('mia'))).toEqual(new Set([302]));
  const refused = await asPerson('mia');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(refused.text).toContain('That was too much at once');
  expect(refused.text).toContain('This page was not made. Wait a moment, then load it again.');
  expect((await asPerson('tom')).status).toBe(302);
  clock.at += Math.ceil(1_000 / perSecond);
  expect((await asPerson('mia')).status).toBe(302);
  expect((await asPerson('mia')).status).toBe(429);
});

test('an address without a session has two thousand at once over all pages, then two hundred a second', async () => {
  const { burst, perSecond } = pagesOf.address;
  const paths = ['/portal/sign-in', '/portal', '/docs', '/operators/enter', '/operators'];
  for (const path of paths) await asStranger('192.0.2.1', path);
  await ask(burst - paths.length, () => asStranger('192.0.2.1'));
  for (const path of paths) expect([path, (await asStranger('192.0.2.1', path)).status]).toEqual([path, 429]);
  expect((await asStranger('192.0.2.1')).headers.get('retry-after')).toBe('1');
  expect((await asStranger('192.0.2.2', '/portal/sign-in')).status).toBe(200);
  clock.at += Math.ceil(1_000 / perSecond);
  expect((await asStranger('192.0.2.1', '/portal/sign-in')).status).toBe(200);
  expect((await asStranger('192.0.2.1')).status).toBe(429);
});

test('a signed-in person still gets pages from an address that has used up its limit', async () => {
  await ask(pagesOf.address.burst + 1, () => asStranger('127.0.0.1'));
  expect((await asStranger('127.0.0.1')).status).toBe(429);
  expect((await asPerson('mia')).status).toBe(302);
});

test('pages of the setup flow do not count with other pages: clients have many people connect at once', async () => {
  await ask(pagesOf.address.burst + 1, () => asStranger('192.0.2.3'));
  expect((await asStranger('192.0.2.3')).status).toBe(429);
  expect((await asStranger('192.0.2.3', '/setup/callback')).status).toBe(400);
});

test('one setup flow has a hundred pages at once, then five a second; others do not wait [faults: 324]', async () => {
  const { burst } = pagesOf.setup;
  const flow = (id: string, address: string): Promise<Answer> =>
    asStranger(address, `/setup/callback?state=${id}.${'x'.repeat(43)}&state=`);
  expect(await ask(burst, () => flow('one', '192.0.2.5'))).toEqual(new Set([400]));
  expect((await flow('one', '192.0.2.6')).status).toBe(429);
  expect((await flow('two', '192.0.2.5')).status).toBe(400);
});

test('an address has two thousand pages of setup flows at once [faults: 324]', async () => {
  await ask(pagesOf.setupAddress.burst, () => asStranger('192.0.2.7', '/setup/callback'));
  expect((await asStranger('192.0.2.7', '/setup/callback')).status).toBe(429);
  expect((await asStranger('192.0.2.8', '/setup/callback')).status).toBe(400);
});

test('of five thousand pages to choose from a hundred are shown, and the others are found [faults: 324]', async () => {
  const { features, upstream } = house;
  await features.addRedirect(caller, 'https://app.example.com/*');
  const state = await openedSetup(house, caller, 'pagechat');
  const pages = Array.from({ length: 5_000 }, (_, n) => ({ identity: `${n}`, name: `Page ${n}` }));
  upstream.unusable = pages.map((page) => ({ ...page, why: 'no_token' }));
  upstream.assets.set(
    'granted',
    pages.map((page) => ({ ...assetOf('pagechat', page.identity), ...page })),
  );
  const { ask: read, stop } = await house.run({ clock });
  const { headers } = await read(`/setup/callback?code=granted&state=${state}`);
  const choice = headers.get('location')?.replace('https://service.example', '') ?? '';
  const shown = async (q: string): Promise<string[]> => {
    const { text } = await read(`${choice}&q=${q}`);
    return [...text.matchAll(/name="asset" value="(\d+)"/g)].map(([, id]) => id ?? '');
  };
  expect(await shown('')).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`));
  expect(await shown('page+4321')).toEqual(['4321']);
  const { text } = await read(`${choice}&q=nothing`);
  await stop();
  expect(text).toContain('None of the 5000 has this in its name.');
  expect(text).toContain('… and 4900 more');
});
