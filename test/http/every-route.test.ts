/**
 * [faults: 82, 83, 84, 92, 111; operator-interface §4] Rules for every route, tested for each route of the table, so that a new one is
 * tested without further work. For each rule, a route that violates it is shown to be found.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendJson, sendPage, sendRedirect, sendText } from '../../src/http/answers.ts';
import { openRoute } from '../../src/http/route.ts';
import type { OpenRoute, Route } from '../../src/http/route.ts';
import { routeTable as ofWorld } from '../../src/features/route-table.ts';
import { signedInPage } from '../../src/pages/session/pages.ts';
import { routeTable } from '../support/routes.ts';
import {
  busy,
  forAnybody,
  hurried,
  insiders,
  isBounded,
  isGuarded,
  isHeaded,
  isLimited,
  acceptsOwnCredentials,
  isShed,
  isUnforgeable,
  nameOf,
} from './route-checks.ts';
import type { Check } from './route-checks.ts';
import { enterConsole, openHouse } from './house.ts';
import type { House } from './house.ts';
import type { World } from '../../src/features/world.ts';
import type { Running } from './support.ts';

const page = (response: Parameters<OpenRoute['open']>[1], policy = "default-src 'none'"): void =>
  sendPage(response, 200, '<!doctype html>', policy);

/** Routes that violate a rule, by the rule. */
const forgetful = {
  guard: openRoute({ ...getAt('/portal/leak'), open: (_request, response) => page(response) }),
  'guard of the console': openRoute({
    ...getAt('/operators/leak'),
    open: (_request, response) => page(response),
  }),
  credentials: openRoute({
    ...getAt('/portal/of-keys'),
    async open(request, response, { callers }) {
      const caller = await callers.authenticate(request.get('x-api-key') ?? '', '');
      if (caller === null) sendRedirect(response, '/portal/sign-in');
      else page(response);
    },
  }),
  'credentials of the console': signedInPage({
    get: '/operators/of-people',
    name: '/operators/of-people',
    open: ({ response }) => page(response),
  }),
  token: signedInPage({
    post: '/portal/tokenless',
    name: '/portal/tokenless',
    may: 'owner',
    open: ({ response }) => page(response),
  }),
  bound: openRoute({
    ...postAt('/portal/endless'),
    async open(request, response) {
      for await (const _ of request) continue;
      sendJson(response, 400, {});
    },
  }),
  limit: openRoute({ ...postAt('/portal/limitless'), open: (_request, response) => page(response) }),
  policy: openRoute({
    ...getAt('/portal/loose'),
    open: (_request, response) => page(response, 'default-src *'),
  }),
  headers: openRoute({ ...getAt('/bare'), open: (_request, response) => void response.send('bare') }),
  origin: openRoute({
    ...getAt('/shared'),
    open(_request, response) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      sendText(response, 200, 'shared');
    },
  }),
  cookie: openRoute({
    ...getAt('/cookie'),
    open(_request, response) {
      response.appendHeader('Set-Cookie', 'trunkline_session=x; Path=/');
      sendText(response, 200, 'mine');
    },
  }),
};

function getAt(get: string) {
  return { get, name: get, failures: 'json' } as const;
}

function postAt(post: string) {
  return { post, name: post, failures: 'json' } as const;
}

type Kind = 'insiders' | 'closed' | 'hurried' | 'busy';

/** Each rule, the kind of service that its check needs, and violating routes that it must find. */
const checks: [string, Check, Kind, Route[]][] = [
  [
    'admits nobody without credentials',
    isGuarded,
    'closed',
    [forgetful.guard, forgetful['guard of the console']],
  ],
  [
    'accepts only its own kind of credential',
    acceptsOwnCredentials,
    'insiders',
    [forgetful.credentials, forgetful['credentials of the console']],
  ],
  ['does nothing for a page of another origin', isUnforgeable, 'insiders', [forgetful.token]],
  ['reads no more than its limit', isBounded, 'insiders', [forgetful.bound, forgetful.token]],
  ['is counted', isLimited, 'hurried', [forgetful.limit]],
  ['is refused or delayed on a busy node', isShed, 'busy', [forgetful.limit]],
  [
    'answers with its security headers',
    isHeaded,
    'insiders',
    [forgetful.policy, forgetful.headers, forgetful.origin, forgetful.cookie],
  ],
];

const services: Partial<Record<Kind, Running>> = {};
let house: House;
beforeAll(async () => {
  house = await openHouse();
  // First: what no page has is the last page's.
  const routes = [...Object.values(forgetful), ...ofWorld];
  services.insiders = await house.run({ ...insiders(), routes });
  services.closed = await house.run({ ...insiders(), routes, world: closed(house.world) });
  services.hurried = await house.run({ ...hurried, routes });
  services.busy = await house.run({ ...busy, routes });
});
afterAll(async () => {
  await Promise.all(Object.values(services).map((service) => service.stop()));
  await house.close();
});

/** The same world, whose store must not be asked for anything but sessions. */
function closed(world: World): World {
  const stores = { ...world.stores };
  const others = Object.keys(stores).filter((name) => name !== 'passes');
  for (const name of others)
    Object.defineProperty(stores, name, {
      get() {
        throw new Error(`stores.${name} was not expected`);
      },
    });
  return { ...world, stores };
}

const kept = async (check: Check, kind: keyof typeof services, route: Route): Promise<string[]> => {
  const service = services[kind];
  if (service === undefined) throw new Error(`no ${kind}`);
  // A form of the console may have ended the session.
  await enterConsole(house);
  return check(service, route);
};

describe.each(checks)('a route %s', (_name, check, kind, mistakes) => {
  test.each(routeTable.map((route) => [nameOf(route), route] as const))('%s', async (_route, route) => {
    expect(await kept(check, kind, route)).toEqual([]);
  });

  test.each(mistakes.map((route) => [nameOf(route), route] as const))(
    'a route that violates this is found: %s',
    async (_route, route) => {
      expect((await kept(check, kind, route)).length).toBeGreaterThan(0);
    },
  );
});

test('the list of open routes names existing routes only', () => {
  const names = new Set(routeTable.map(nameOf));
  expect([...forAnybody.keys()].filter((name) => !names.has(name))).toEqual([]);
});
