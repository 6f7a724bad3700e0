/**
 * Rules for every route, whatever it does. A check returns the violations of one route as sentences: none for the routes of the
 * table, some for a route that violates its rule.
 */
import { fault } from '../../src/kernel/faults.ts';
import { hashSecret } from '../../src/kernel/ids.ts';
import type { Route } from '../../src/http/route.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import type { World } from '../../src/features/world.ts';
import {
  adminToken,
  apiKey,
  caller,
  keyCaller,
  now,
  operatorSession,
  ownerId,
  session,
  someId,
} from './support.ts';
import type { Answer, Asking, Running } from './support.ts';

export type Check = (service: Running, route: Route) => Promise<string[]>;

/** Routes that anybody may call, with the reason; every other route needs a key, a token or a session. */
export const forAnybody: ReadonlyMap<string, string> = new Map([
  ['GET /', 'says where things are'],
  ['GET /healthz', 'a probe'],
  ['GET /readyz', 'a probe'],
  ['GET /metrics', 'on a listener of the operators, or with their token'],
  ['GET /openapi.json', 'the contract'],
  ['GET /docs', 'the contract'],
  ['GET /docs/clients', 'the contract'],
  ['GET /docs/clients/{file}', 'the contract'],
  ['GET /docs/contract', 'the contract'],
  ['GET /docs/decisions', 'the contract'],
  ['GET /docs/error-codes', 'the contract'],
  ['GET /docs/guide', 'the contract'],
  ['GET /docs/operators', 'the contract'],
  ['GET /docs/verify', 'the contract'],
  ['GET /assets/{version}/{file}', 'what pages load'],
  ['GET /favicon.ico', 'what browsers load'],
  ['GET /setup/{session_id}', 'whoever holds the link'],
  ['GET /setup/callback', 'whoever holds the state'],
  ['GET /setup/choose', 'whoever holds the state'],
  ['POST /setup/choose', 'whoever holds the state'],
  ['GET /upstream/webhooks', 'the verify token'],
  ['POST /upstream/webhooks', 'signed'],
  ['POST /billing/webhook', 'signed'],
  ['GET /portal/', 'leads to the portal'],
  ['GET /portal/sign-in', 'before sign-in'],
  ['POST /portal/sign-in', 'before sign-in'],
  ['GET /portal/sign-in/code', 'before sign-in'],
  ['POST /portal/sign-in/code', 'before sign-in'],
  ['GET /portal/sign-up', 'before sign-in'],
  ['POST /portal/sign-up', 'before sign-in'],
  ['GET /portal/forgot', 'before sign-in'],
  ['POST /portal/forgot', 'before sign-in'],
  ['GET /portal/reset', 'whoever holds the link'],
  ['POST /portal/reset', 'whoever holds the link'],
  ['GET /portal/confirm', 'whoever holds the link'],
  ['POST /portal/confirm', 'whoever holds the link'],
  ['GET /portal/new-address', 'whoever holds the link'],
  ['POST /portal/new-address', 'whoever holds the link'],
  ['GET /portal/invitation', 'whoever holds the link'],
  ['POST /portal/invitation', 'whoever holds the link'],
  ['GET /operators/enter', 'before sign-in'],
  ['POST /operators/enter', 'before sign-in'],
]);

/** POSTs of other services: they are signed, and no browser sends their signature by itself. */
const signed: Readonly<Record<string, { refused: number; headers: Record<string, string>; limit: number }>> =
  {
    'POST /upstream/webhooks': {
      refused: 401,
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      limit: 3 * 1024 * 1024,
    },
    'POST /billing/webhook': {
      refused: 400,
      headers: { 'stripe-signature': `t=${now / 1_000},v1=${'0'.repeat(64)}` },
      limit: 1024 * 1024,
    },
  };

const formLimit = 64 * 1024;
const bodyLimit = 1024 * 1024;
const formType = 'application/x-www-form-urlencoded';
const retryAfter = 7;

export const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

/** Every kind of credential, each well-formed. */
const cookiesOf = (...names: string[]): string =>
  names.map((name) => `__Host-trunkline_${name}=${secretOf(name)}`).join('; ');
const secretOf = (cookie: string): string => (cookie.startsWith('operator') ? operatorSession : session);
const cookies = cookiesOf('session', 'visit', 'operator', 'operator_visit');
const insider = { cookie: cookies, 'x-api-key': apiKey, authorization: `Bearer ${adminToken}` };
const ofInsider = ({ path }: Route): string =>
  hashSecret(`csrf:${path.startsWith('/operators') ? operatorSession : session}`);
const state = 'state-of-this-browser';

/**
 * Valid credentials with all permissions: any further check of the route refuses the call. Person and key stay valid whatever a route
 * does.
 */
export function insiders(): Partial<ServerOptions<World>> {
  const owner = {
    personId: ownerId,
    email: 'owner@example.com',
    role: 'owner',
    caller,
    mayAct: true,
    accountName: null,
    isSuspended: false,
    suspendedWhy: null,
  } as const;
  return {
    callers: { known: () => null, authenticate: async (key) => (key === apiKey ? keyCaller : null) },
    findVisitor: async (secret) => (secret === session ? owner : null),
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: '' }),
  };
}

/** Like `insiders`, with every rate limit reached. */
export const hurried: Partial<ServerOptions<World>> = {
  ...insiders(),
  rateLimiter: { take: () => retryAfter },
  guessLimit: {
    check() {
      throw fault('guessing', { retryAfter });
    },
  },
};

/** Like `insiders`, on a node that is too busy. */
export const busy: Partial<ServerOptions<World>> = { ...insiders(), eventLoopDelayMs: () => 60_000 };

function ask(service: Running, route: Route, { headers = {}, body }: Asking = {}): Promise<Answer> {
  const path = route.path.replaceAll(/\{\w+\}/g, someId);
  const query = path === '/setup/choose' ? `?state=${state}` : '';
  return service.ask(`${path}${query}`, { method: route.method.toUpperCase(), headers, body });
}

/** Fields of forms with a list of choices: an invalid choice gets the same answer as an outdated page. */
const chosen = { channel_type: 'chatapp', tier: 'pro' };

const form = (csrf: string): Asking => ({
  headers: { ...insider, 'content-type': formType },
  body: new URLSearchParams({ csrf, ...chosen }).toString(),
});
const isForm = (route: Route): boolean =>
  route.audience === 'open' && route.method === 'post' && !(nameOf(route) in signed);

/** Without credentials the store is asked for nothing but sessions. With a service that is `closed`. */
export const isGuarded: Check = async (service, route) => {
  if (forAnybody.has(nameOf(route))) return [];
  const posted = isForm(route) ? { headers: { 'content-type': formType }, body: 'csrf=x' } : {};
  const strangers: Asking[] = [
    posted,
    { ...posted, headers: { ...posted.headers, cookie: cookies.replaceAll(/sss|ppp/g, 'xxx') } },
    {
      ...posted,
      headers: { ...posted.headers, 'x-api-key': `${apiKey.slice(0, -1)}x`, authorization: 'Bearer x' },
    },
  ];
  const answers = await Promise.all(strangers.map((asking) => ask(service, route, asking)));
  return answers.flatMap(({ status, headers }) => {
    const said = `${status} ${headers.get('location') ?? ''}`.trim().split('?')[0] ?? '';
    const wanted = route.audience === 'open' ? `302 ${signInPathOf(route)}` : '401';
    return said === wanted ? [] : [`a stranger is answered ${said}, not ${wanted}`];
  });
};

function signInPathOf({ path }: Route): string {
  return path.startsWith('/operators') ? '/operators/enter' : '/portal/sign-in';
}

/** The credential for each kind of route, presented in every place where one is read. */
const opens: Readonly<Record<'api' | 'admin' | 'portal' | 'operators', Record<string, string>>> = {
  api: { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` },
  admin: { 'x-api-key': adminToken, authorization: `Bearer ${adminToken}` },
  portal: { cookie: cookiesOf('session', 'visit') },
  operators: { cookie: cookiesOf('operator', 'operator_visit') },
};

/** A key, a token, a person's and an operator's session: each is valid, and gives access only to its own routes. */
export const acceptsOwnCredentials: Check = async (service, route) => {
  if (forAnybody.has(nameOf(route))) return [];
  const isConsole = route.path.startsWith('/operators');
  const own = route.audience !== 'open' ? route.audience : isConsole ? 'operators' : 'portal';
  const wanted = route.audience === 'open' ? `302 ${signInPathOf(route)}` : '401';
  const wrong: string[] = [];
  for (const [kind, headers] of Object.entries(opens)) {
    if (kind === own) continue;
    const posted = isForm(route) ? form(ofInsider(route)) : {};
    const { cookie: _cookie, 'x-api-key': _key, authorization: _token, ...others } = posted.headers ?? {};
    const answer = await ask(service, route, { ...posted, headers: { ...others, ...headers } });
    const said = `${answer.status} ${answer.headers.get('location') ?? ''}`.trim().split('?')[0] ?? '';
    if (said !== wanted) wrong.push(`with the credential for ${kind} it is ${said}, not ${wanted}`);
  }
  return wrong;
};

/** A foreign page can send what the browser adds by itself, and no more. */
export const isUnforgeable: Check = async (service, route) => {
  const name = nameOf(route);
  if (name in signed) {
    const { status } = await ask(service, route, { headers: insider, body: '{}' });
    return status === signed[name]?.refused ? [] : [`unsigned it is ${status}`];
  }
  if (!isForm(route)) return [];
  const tokens = ['', 'x', hashSecret('csrf:'), hashSecret(`csrf:${'o'.repeat(43)}`)];
  const forged = await Promise.all(tokens.map((token) => ask(service, route, form(token))));
  const wrong = forged.filter(({ status }) => status !== 400).map(({ status }) => `forged it is ${status}`);
  const own = await ask(service, route, form(route.path === '/setup/choose' ? state : ofInsider(route)));
  const isSame = forged.some(({ status, text }) => status === own.status && text === own.text);
  return isSame ? [...wrong, 'it refuses its own form as well'] : wrong;
};

/** No body is read beyond its limit, nor one of an unexpected content type. */
export const isBounded: Check = async (service, route) => {
  const over = (limit: number): string => 'x'.repeat(limit + 1);
  const asked: [string, number, Asking][] = [];
  if (isForm(route)) {
    const headers = { ...insider, 'content-type': formType };
    asked.push(
      ['too long', 413, { headers, body: `csrf=${over(formLimit)}` }],
      ['of JSON', 415, { headers: { ...insider, 'content-type': 'application/json' }, body: '{}' }],
    );
  }
  if (route.audience === 'api' && route.takesFile) {
    asked.push(
      ['of JSON', 415, { headers: insider, body: '{}' }],
      [
        'of a form without a file',
        415,
        { headers: { ...insider, 'content-type': formType }, body: 'csrf=x' },
      ],
    );
  } else if (route.audience !== 'open' && route.bodySchema !== null) {
    asked.push(
      ['too long', 413, { headers: insider, body: `"${over(bodyLimit)}"` }],
      ['of a form', 415, { headers: { ...insider, 'content-type': formType }, body: 'csrf=x' }],
      ['packed', 415, { headers: { ...insider, 'content-encoding': 'gzip' }, body: '{}' }],
    );
  }
  const machine = signed[nameOf(route)];
  if (machine !== undefined)
    asked.push(['too long', 413, { headers: machine.headers, body: over(machine.limit) }]);
  const answers = await Promise.all(asked.map(([, , asking]) => ask(service, route, asking)));
  return asked.flatMap(([what, wanted], index) => {
    const status = answers[index]?.status;
    return status === wanted ? [] : [`a body ${what} is ${status}, not ${wanted}`];
  });
};

/** Requests with credentials are counted, and so are guesses. With a service that is `hurried`. */
export const isLimited: Check = async (service, route) => {
  const isCounted = route.audience !== 'open' || (isForm(route) && isOfPortal(route));
  if (!isCounted) return [];
  const { status, headers } = await ask(
    service,
    route,
    isForm(route) ? form(ofInsider(route)) : { headers: insider },
  );
  const said = `${status} ${headers.get('retry-after') ?? ''}`;
  return said === `429 ${retryAfter}` ? [] : [`beyond the limit it is ${said}`];
};

/** What a busy node refuses first, or delays. With a service that is `busy`. */
export const isShed: Check = async (service, route) => {
  const sheds = route.audience === 'api' ? route.sheds : isForm(route) && isOfPortal(route);
  if (!sheds) return [];
  const { status, headers } = await ask(
    service,
    route,
    isForm(route) ? form(ofInsider(route)) : { headers: insider },
  );
  return status === 503 && headers.has('retry-after') ? [] : [`on a busy node it is ${status}`];
};

/** Routes behind sign-in. */
function isOfPortal(route: Route): boolean {
  return route.path.startsWith('/portal/') && !forAnybody.has(nameOf(route));
}

const assetPath = /^\/(assets\/|favicon\.ico$)/;

/** Every answer: to a stranger, to an authorized caller, and after a failure. */
export const isHeaded: Check = async (service, route) => {
  const posted = isForm(route) ? form(ofInsider(route)) : { headers: insider };
  const answers = await Promise.all([
    ask(service, route),
    ask(service, route, posted),
    ask(service, route, { ...posted, headers: { ...posted.headers, origin: 'https://evil.example' } }),
  ]);
  return answers.flatMap((answer) =>
    wrongHeaders(answer, assetPath.test(route.path)).map((wrong) => `${answer.status}: ${wrong}`),
  );
};

const never = [
  'x-powered-by',
  'server',
  'etag',
  'access-control-allow-origin',
  'access-control-allow-credentials',
];

/** Rules for any answer, except that an asset may be cached. */
export function wrongHeaders(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  isAsset = false,
): string[] {
  const type = headers.get('content-type') ?? '';
  const wanted: Wanted[] = [['x-content-type-options', /^nosniff$/]];
  if (!isAsset) wanted.push(['cache-control', /^no-store$/], ['x-request-id', /^[\w-]{1,64}$/]);
  if (status === 302) wanted.push(['referrer-policy', /^no-referrer$/]);
  else if (type.startsWith('text/html')) wanted.push(...ofPages);
  else if (type.startsWith('text/plain') && !isAsset)
    wanted.push(['content-security-policy', /^default-src 'none'/]);
  const wrong = wanted
    .filter(([name, shape]) => !shape.test(headers.get(name) ?? ''))
    .map(([name]) => `${name} is ${headers.get(name) ?? 'not there'}`);
  const loose = headers.getSetCookie().filter((cookie) => !/; HttpOnly; SameSite=(Lax|Strict)/.test(cookie));
  return [
    ...wrong,
    ...loose.map((cookie) => `a cookie for scripts: ${cookie.split('=')[0] ?? ''}`),
    ...never.filter((name) => headers.has(name)).map((name) => `${name} is there`),
  ];
}

type Wanted = readonly [string, RegExp];

const ofPages: readonly Wanted[] = [
  [
    'content-security-policy',
    /^default-src 'none';(?!.*(unsafe|\*)).* base-uri 'none'; frame-ancestors 'none'$/,
  ],
  ['x-frame-options', /^DENY$/],
  ['referrer-policy', /^no-referrer$/],
];
