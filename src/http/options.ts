import type { IncomingMessage } from 'node:http';
import type { Networks } from '../rules/address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Log } from '../kernel/log.ts';
import type { KeyCaller } from '../rules/caller.ts';
import type { Visitor } from '../rules/person.ts';
import type { Place } from '../rules/portal-paths.ts';
import type { RateLimiter } from './limits/callers.ts';
import type { FileSlots } from './middleware/file-slots.ts';
import type { GuessLimit } from './middleware/failed-auth.ts';
import type { PageLimits } from './middleware/page-limits.ts';
import type { BodyBudget } from './middleware/body-budget.ts';
import type { Unread } from './middleware/unread-answers.ts';
import type { RequestBody } from './validation/request-body.ts';

/** The answer of `/readyz`: each part by name with its state in one word. */
export interface Readiness {
  ready: boolean;
  parts: Record<string, string>;
}

/** `unsigned`: no signature of the right form; `wrong_signature`: made with another secret, or for another body. */
export type RefusedPost = 'unsigned' | 'wrong_signature';

/** The routes of a listener: `clients` while operators have a listener of their own, `operators` for that listener. */
export type ListenerKind = 'all' | 'clients' | 'operators';

/** Finds the caller of an API key. */
export interface CallerLookup {
  /** The caller of a key that was valid a moment ago; null: ask `authenticate`. */
  known: (apiKey: string) => KeyCaller | null;
  /** null: no such key. `address`: of the client. */
  authenticate: (apiKey: string, address: string) => Promise<KeyCaller | null>;
}

/** An answered request with a valid API key, for the log of requests. */
export interface EndedRequest {
  accountId: string;
  apiKeyId: string;
  method: string;
  /** Pattern of the path. */
  route: string;
  status: number;
  /** Code of the fault that refused the request; null: not refused. */
  code: string | null;
  requestId: string;
  durationMs: number;
}

export interface HttpOptions {
  callers: CallerLookup;
  /** The person with this session; null: none. */
  findVisitor: (secret: string) => Promise<Visitor | null>;
  /** For texts that a browser keeps for us. */
  sealer: Sealer;
  /** Whether a mail server is configured: without one people read their mails in the portal. */
  sendsMail: boolean;
  /** The portal's navigation. */
  places: readonly Place[];
  readiness: () => Readiness;
  listenerKind: ListenerKind;
  /** null: `/metrics` answers 404 on this listener. */
  metrics: (() => Promise<{ contentType: string; body: string }>) | null;
  /** Whether `/metrics` requires ADMIN_TOKEN: in a cluster, on a listener that clients reach too. */
  metricsNeedToken: boolean;
  /** Whether `X-Hub-Signature-256` matches the raw bytes; compares in constant time. */
  verifyUpstreamSignature(raw: Uint8Array, header: string | string[] | undefined): boolean;
  /** Called after each answer to upstream's verification. */
  handshakeEnded: (isRight: boolean) => void;
  /** Called for each post of upstream that is answered 401. */
  postRefused: (reason: RefusedPost) => void;
  upstreamVerifyToken: string;
  /** For posts of upstream and of the payment provider, and for forms, until they are verified. */
  bodyBudget: BodyBudget;
  /** For bodies of authenticated requests. */
  apiBodies: BodyBudget;
  /** Answers that clients have not read yet. */
  unread: Unread;
  /** False: `/billing/webhook` answers 404. */
  takesBilling: boolean;
  adminToken: string;
  /** Shared by all listeners that accept keys. */
  guessLimit: GuessLimit;
  /** How many of our own proxies a request passes. [operator-interface §2 TRUST_PROXY_HOPS] */
  trustProxyHops: number;
  /** Public address of the service, without a trailing slash. */
  baseUrl: string;
  /** Allows `http:` and private webhook receivers: development only. */
  allowInsecure: boolean;
  /** Private networks in which webhook receivers are allowed. [operator-interface §2 WEBHOOK_ALLOW_CIDRS] */
  allowedNetworks: Networks;
  /** Host names under which clients and nodes reach this service. */
  ownHosts: readonly string[];
  /** URLs of this service, which are no valid webhook receivers. */
  ownUrls: readonly string[];
  rateLimiter: RateLimiter;
  /** How long a lapsed paid subscription still counts as active. [operator-interface §2 SUBSCRIPTION_GRACE_MS] */
  graceMs: number;
  /** Called after each answer; `route` is the route's name in the table, `none` if no route was found. */
  requestEnded?: (route: string, status: number, ms: number, request: IncomingMessage) => void;
  /** Called after each answer to a request with a valid API key. */
  callEnded?: (call: EndedRequest) => void;
  clock: Clock;
  log: Log;
  /** Mean event-loop delay over the last window, ms; tests inject it. */
  eventLoopDelayMs?: () => number;
}

/** What a route may use while it answers. `world`: what the functions of its feature may use. */
export interface RouteContext<W = unknown> extends HttpOptions {
  world: W;
  /** The OpenAPI document, serialized at its first read: any stranger may request it repeatedly. [faults: I9] */
  openApi: () => Buffer;
  fileSlots: FileSlots;
  exportSlots: FileSlots;
  uploadSlots: FileSlots;
  pageLimits: PageLimits;
  /** Throws Fault 503 when the node is too busy. [spec: HTTP status codes, 503] */
  shed: () => void;
  /** A form is held to the schema of the API's request. Throws Fault 422. */
  parse: <B>(body: RequestBody<B>, value: unknown) => B;
}
