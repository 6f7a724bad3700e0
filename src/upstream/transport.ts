import type { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { noNetworks } from '../rules/address.ts';
import type { Clock } from '../kernel/clock.ts';
import { guardedConnector, hostsLookup, makeDial, ownListeners } from '../delivery/dial.ts';

interface Request {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path and query below the base URL, from `/`. May contain a secret: never log it. */
  path: string;
  headers: Record<string, string>;
  /** A stream must have the length that the header `content-length` says; it is destroyed if it is not read to its end. */
  body: string | Readable | null;
  /** Covers waiting for a connection, connecting, headers and the whole body. */
  timeoutMs: number;
  /** A longer answer counts as no answer. */
  maxBytes: number;
  /** Called right before the first byte is written; false: nothing is sent. */
  mayStart?: () => boolean;
}

/** `reason`: a fixed word or an error code of Node or undici, never text from outside. */
export type Answer =
  /** `usage`: header in which upstream says how long a limit lasts; set on refusals only. `version`: of the API that answered. */
  | { got: 'answer'; status: number; text: string; usage: string | null; version: string | null }
  /** No byte of the request was written: certainly not done. */
  | { got: 'nothing'; wasSent: false; reason: string }
  /** Writing had started: the request may have been done. */
  | { got: 'nothing'; wasSent: true; reason: string };

export interface Transport {
  /** One HTTP exchange without retries and redirects. Never rejects. */
  exchange(request: Request): Promise<Answer>;
  /** Loads what an exchange needs, so that the first exchange does not wait for it. */
  prepare(): Promise<void>;
  /** Ends pending exchanges. */
  close(): Promise<void>;
}

/** `status`: null if there was no answer. */
export type Exchanged = (
  status: number | null,
  ms: number,
  request: Pick<Request, 'method' | 'headers'>,
) => void;

/** Connections are opened on demand. A channel has at most 100 calls in flight. [faults: 96] */
const maxConnections = 512;
const connectTimeoutMs = 5_000;
/**
 * A new TLS connection costs as much as twenty reused ones [performance §1]. A connection that upstream closes while a send is written
 * leaves that send's outcome unknown. So if upstream names no idle limit, this one is shorter than those of common load balancers.
 */
const keepAliveMs = 30_000;
const maxKeepAliveMs = 600_000;

/**
 * One pool to one origin, opened on first use because importing undici takes a good part of the start. [performance §1, Start] `baseUrl`
 * may have a path, which prefixes every path.
 */
export function makeTransport(
  baseUrl: string,
  clock: Clock,
  exchanged: Exchanged = () => undefined,
): Transport {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  let pool: Promise<Pool> | null = null;
  let opened: Pool | null = null;
  const open = (): Promise<Pool> =>
    (pool ??= openPool(base.origin, clock).then((on) => {
      opened = on;
      return on;
    }));
  function exchangeIn(on: Pool, request: Request): Promise<Answer> {
    const startedAt = clock.monotonic();
    return new Promise((resolve) => {
      // oxlint-disable-next-line no-new -- the exchange lives until its callback
      new Exchange(on, prefix, request, clock, (answer) => {
        exchanged(answer.got === 'answer' ? answer.status : null, clock.monotonic() - startedAt, request);
        resolve(answer);
      });
    });
  }
  return {
    exchange(request) {
      if (opened !== null) return exchangeIn(opened, request);
      return open().then((on) => exchangeIn(on, request));
    },
    async prepare() {
      await open();
    },
    async close() {
      const on = await pool;
      await on?.destroy();
    },
  };
}

/** Its addresses are not checked: the operator chose them. */
const anyAddress = { allowInsecure: true, networks: noNetworks, own: ownListeners([]) };

async function openPool(origin: string, clock: Clock): Promise<Pool> {
  const undici = await import('undici');
  const timeoutMs = connectTimeoutMs;
  const dial = makeDial({ lookup: hostsLookup, rules: anyAddress, clock, timeoutMs });
  return new undici.Pool(origin, {
    connections: maxConnections,
    pipelining: 1,
    connect: guardedConnector(undici.buildConnector({ timeout: timeoutMs }), dial),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: maxKeepAliveMs,
    // Disabled: a dripped body or a flood of 1xx answers outlives both. The deadline of `Exchange` covers everything. [performance §1]
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
/** Upstream sends no `Retry-After`. [upstream §3.8] */
const usageHeader = 'x-business-use-case-usage';
const versionHeader = 'facebook-api-version';

const always = (): boolean => true;
const tooLong = new Error('answer too long');
const tooLate = new Error('time-out');
const notOurs = new Error('not ours any more');

/** waiting (for a connection) → started (being written; the request may be done from here on) → ended. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly resolve: (answer: Answer) => void;
  private readonly maxBytes: number;
  private readonly mayStart: () => boolean;
  private readonly cancelDeadline: () => void;
  private controller: Dispatcher.DispatchController | null = null;
  private status = 0;
  private usage: string | null = null;
  private version: string | null = null;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private ended = false;

  constructor(pool: Pool, prefix: string, request: Request, clock: Clock, resolve: (answer: Answer) => void) {
    this.resolve = resolve;
    this.maxBytes = request.maxBytes;
    this.mayStart = request.mayStart ?? always;
    this.cancelDeadline = clock.after(request.timeoutMs, () => this.abort(tooLate));
    const { method, headers, body } = request;
    pool.dispatch({ path: prefix + request.path, method, headers, body, idempotent: false }, this);
  }

  /** Called right before the first byte is written, the last moment at which an abort means "not sent". */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.mayStart()) this.endWithout(notOurs.message);
    if (this.ended) controller.abort(tooLate);
    else this.controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.status = status;
    const usage = status < 400 ? undefined : headers[usageHeader];
    if (typeof usage === 'string') this.usage = usage;
    const version = headers[versionHeader];
    if (typeof version === 'string') this.version = version;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) this.abort(tooLong);
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const text = Buffer.concat(this.chunks, this.bytes).toString('utf8');
    this.end({ got: 'answer', status: this.status, text, usage: this.usage, version: this.version });
  }

  onResponseError(_: unknown, error: Error): void {
    this.endWithout(reasonOf(error));
  }

  private abort(why: Error): void {
    this.endWithout(why.message);
    this.controller?.abort(why);
  }

  private endWithout(reason: string): void {
    this.end({ got: 'nothing', wasSent: this.controller !== null, reason });
  }

  private end(answer: Answer): void {
    if (this.ended) return;
    this.ended = true;
    this.cancelDeadline();
    this.resolve(answer);
  }
}

function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
