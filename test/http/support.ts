/** A listener over any routes, and requests to it. */
import net from 'node:net';
import { UnreadAnswers } from '../../src/http/middleware/unread-answers.ts';
import { BodyBudget } from '../../src/http/middleware/body-budget.ts';
import { makeGuessLimit } from '../../src/http/middleware/failed-auth.ts';
import { makeHttpServer } from '../../src/http/server.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { apiKeyPrefix } from '../../src/rules/api-key.ts';
import { grantedBits } from '../../src/rules/scopes.ts';
import { noNetworks } from '../../src/rules/address.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { ConnectionShares } from '../../src/kernel/connection-shares.ts';
import { silentLog } from '../support/silent-log.ts';
import { newSealer } from '../support/sealing.ts';
import { listening } from '../support/ports.ts';

export const apiKey = `${apiKeyPrefix}${'k'.repeat(43)}`;
export const wrongKey = `${apiKeyPrefix}${'w'.repeat(43)}`;
export const adminToken = 'admin-token-of-this-test';
export const verifyToken = 'my-verify-token';
export const caller = {
  accountId: '11111111-1111-4111-8111-111111111111',
  apiKeyId: '22222222-2222-4222-8222-222222222222',
};
/** `caller` as its key makes it known: the key may do everything. */
export const keyCaller = { ...caller, granted: grantedBits(null), endsAt: null };
export const someId = '33333333-3333-4333-8333-333333333333';
/** The owner who is signed in to the portal, and the secret of the session. */
export const ownerId = '55555555-5555-4555-8555-555555555555';
export const session = 's'.repeat(43);
/** The secret of an operator's session. */
export const operatorSession = 'p'.repeat(43);
/** The licence of the account. */
export const licenceId = '66666666-6666-4666-8666-666666666666';
/** Headers of the owner's browser, and of an operator's. */
export const asOwner = { cookie: `__Host-trunkline_session=${session}` };
export const asOperator = { cookie: `__Host-trunkline_operator=${operatorSession}` };
export const otherId = '44444444-4444-4444-8444-444444444444';
export const now = Date.UTC(2026, 8, 1, 12, 0, 0);

/** A clock that stands still unless a test moves it. */
export class StillClock implements Clock {
  at = now;
  now = () => this.at;
  wall = () => this.at;
  monotonic = () => this.at;
  after = () => () => {};
}

/** The options of a listener over these routes and this world. The key `apiKey` is `caller`'s; nobody is signed in. */
export function optionsOver<W>(
  over: Pick<ServerOptions<W>, 'routes' | 'world'>,
  given: Partial<ServerOptions<W>> = {},
): ServerOptions<W> {
  const { clock = new StillClock() } = given;
  return {
    callers: { known: () => null, authenticate: async (key) => (key === apiKey ? keyCaller : null) },
    findVisitor: async () => null,
    sealer: newSealer(),
    sendsMail: false,
    places: [],
    readiness: () => ({ ready: true, parts: { store: 'ok' } }),
    metrics: null,
    metricsNeedToken: false,
    verifyUpstreamSignature: (_raw, header) => header === 'sha256=good',
    handshakeEnded: () => undefined,
    postRefused: () => undefined,
    upstreamVerifyToken: verifyToken,
    takesBilling: true,
    adminToken,
    guessLimit: makeGuessLimit(clock),
    trustProxyHops: 0,
    baseUrl: 'https://service.example',
    allowInsecure: false,
    allowedNetworks: noNetworks,
    ownHosts: ['service.example'],
    ownUrls: ['https://service.example'],
    listenerKind: 'all',
    bodyBudget: BodyBudget.forAnonymous(),
    apiBodies: BodyBudget.forAccounts(),
    rateLimiter: { take: () => 0 },
    graceMs: 0,
    unread: { ofAccounts: new UnreadAnswers(clock), ofAnonymous: new UnreadAnswers(clock) },
    clock,
    log: silentLog,
    connections: new ConnectionShares(10_000, () => undefined),
    eventLoopDelayMs: () => 0,
    ...over,
    ...given,
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface Asking {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is text or bytes. */
  body?: unknown;
}

export interface Running {
  port: number;
  /** Calls with the API key. */
  api: (path: string, asking?: Asking) => Promise<Answer>;
  /** Calls with the admin token. */
  admin: (path: string, asking?: Asking) => Promise<Answer>;
  /** Calls unchanged. */
  ask: (path: string, asking?: Asking) => Promise<Answer>;
  /** Writes bytes to a socket; returns everything that is received until it closes. */
  raw: (bytes: string) => Promise<string>;
  stop: () => Promise<void>;
}

export async function serve<W>(options: ServerOptions<W>): Promise<Running> {
  const server = makeHttpServer(options);
  const port = await listening(server);
  const ask = (path: string, asking: Asking = {}) => request(`http://127.0.0.1:${port}${path}`, asking);
  const withHeaders =
    (more: Record<string, string>) =>
    (path: string, asking: Asking = {}) =>
      ask(path, { ...asking, headers: { ...more, ...asking.headers } });
  return {
    port,
    ask,
    api: withHeaders({ 'x-api-key': apiKey }),
    admin: withHeaders({ authorization: `Bearer ${adminToken}` }),
    raw: (bytes) => rawRequest(port, bytes),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A copy, because the types of `fetch` need one. */
const bytesOf = (body: string | Uint8Array | undefined): BodyInit | undefined =>
  body instanceof Uint8Array ? Uint8Array.from(body) : body;

async function request(url: string, { method = 'GET', headers = {}, body }: Asking): Promise<Answer> {
  const isForm = body instanceof FormData;
  const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: body === undefined || isForm ? headers : { 'content-type': 'application/json', ...headers },
    body: isForm ? body : isPlain ? bytesOf(body) : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOf(response, text) };
}

function jsonOf(response: Response, text: string): unknown {
  const isJson = response.headers.get('content-type') === 'application/json';
  return isJson && text !== '' ? JSON.parse(text) : undefined;
}

function rawRequest(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    // The server may reset the connection after its answer: what came before counts.
    socket.on('error', () => {});
  });
}

/** An answer without what differs by time and chance. */
export function same(answer: string): string {
  return answer.replaceAll(/^Date: .*\r\n/gm, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'some id');
}
