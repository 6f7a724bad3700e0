import type { Networks } from '../domain/webhooks/networks.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { EndedRequest, UseCases } from '../use-cases/index.ts';
import type { RateLimiter } from '../use-cases/ports/accounts.ts';
import type { FileSlots } from './middleware/file-slots.ts';
import type { GuessLimit } from './middleware/failed-auth.ts';
import type { PageLimits } from './middleware/page-limits.ts';
import type { BodyRoom } from './middleware/body-room.ts';
import type { Unread } from './middleware/unread-answers.ts';

/** What `/readyz` shows: every part by name with its state in a word. */
export interface Readiness {
  ready: boolean;
  parts: Record<string, string>;
}

/** `clients`: operators have a listener of their own. `operators`: this is it. */
export type Doors = 'all' | 'clients' | 'operators';

export interface HttpOptions {
  useCases: UseCases;
  readiness: () => Readiness;
  doors: Doors;
  /** null: `/metrics` is not on this listener and answers 404. */
  metrics: (() => Promise<{ contentType: string; body: string }>) | null;
  /** `/metrics` only to the bearer of ADMIN_TOKEN: clients reach this listener too, and more than one machine is behind it. */
  metricsNeedToken: boolean;
  /** Whether `X-Hub-Signature-256` fits the raw bytes, compared in constant time. */
  verifyUpstreamSignature(raw: Uint8Array, header: string | string[] | undefined): boolean;
  upstreamVerifyToken: string;
  /** For posts of the platform and the payment provider, and for forms, until they are checked. */
  bodyRoom: BodyRoom;
  /** For bodies of requests that have shown a key. */
  apiBodies: BodyRoom;
  /** Answers that clients have not taken yet. */
  unread: Unread;
  /** False: `/billing/webhook` answers 404. */
  takesBilling: boolean;
  adminToken: string;
  /** Shared with other doors that take keys. */
  guessLimit: GuessLimit;
  /** How many proxies of ours a request has come through. [operator-interface §2 TRUST_PROXY_HOPS] */
  trustProxyHops: number;
  /** Public address of the service, without a trailing slash. */
  baseUrl: string;
  /** Allows `http:` and private webhook receivers: development only. */
  allowInsecure: boolean;
  /** Private networks that receivers may live in. [operator-interface §2 WEBHOOK_ALLOW_CIDRS] */
  allowedNetworks: Networks;
  /** Host names that clients and nodes reach this service by. */
  ownHosts: readonly string[];
  /** Addresses of this service: no receiver's. */
  ownUrls: readonly string[];
  rateLimiter: RateLimiter;
  /** How long a lapsed paid subscription still counts as active. [operator-interface §2 SUBSCRIPTION_GRACE_MS] */
  graceMs: number;
  /** A request was answered; `route` is its name in the table, `none` before one was found. */
  requestEnded?: (route: string, status: number, ms: number) => void;
  /** A call of a key was answered. */
  callEnded?: (call: EndedRequest) => void;
  clock: Clock;
  log: Log;
  /** Mean event-loop delay over the last window, ms; tests inject it. */
  eventLoopDelayMs?: () => number;
}

/** What a route may use while it answers. */
export interface RouteContext extends HttpOptions {
  /** The contract itself, written when it is first read: a stranger may ask for it all day. [faults: I9] */
  openApi: () => Buffer;
  fileSlots: FileSlots;
  exportSlots: FileSlots;
  pageLimits: PageLimits;
  /** Throws Fault 503 when the node is too busy. [spec: HTTP status codes, 503] */
  shed: () => void;
}
