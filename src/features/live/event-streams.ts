/**
 * Live events of an account as a stream of server-sent events, for the portal's page: authorised by the session, without message content.
 * Whoever reconnects says with `Last-Event-ID` how far it came, and gets what it missed. [operator-interface §4, live feed after a reconnect]
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import { toIso } from '../../kernel/clock.ts';
import { asError, Fault } from '../../kernel/faults.ts';
import { cutOff } from '../../http/cut-off.ts';
import type { AdmissionOptions } from './admission.ts';
import type { CatchUps } from './catch-up.ts';
import { Connections } from './connections.ts';
import type { Credential, LiveCaller } from './credential.ts';
import { sinceIn } from './credential.ts';
import { entryLine, eventLine } from './stream-lines.ts';
import type { StreamLine } from './stream-lines.ts';
import { WriteBufferLimits } from './write-buffer.ts';

export const streamPath = '/portal/live/events';

/** Below the idle time of proxies (75 s in config/), and of phones' networks. */
const heartbeatMs = 20_000;
/** A browser has six connections to a host: some must be left for pages. */
const maxPerSession = 4;
const maxOnNode = 1_000;
/** A reader that catches up must read each page of the log within this time. [faults: 178] */
const unreadMs = 10_000;

const head = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // nginx would keep events until its buffer is full.
  'X-Accel-Buffering': 'no',
};

interface Stream {
  accountId: string;
  credential: Credential;
  response: ServerResponse;
  /** Catch-ups that are not all written: meanwhile a live event must not move the place where its reader goes on. */
  catchUps: number;
}

interface StreamOptions extends Pick<AdmissionOptions, 'authenticate' | 'admit' | 'log'> {
  clock: Clock;
  /** The session of a request for a stream; null: none, or not that of the page which asks. */
  streamSessionIn: (request: IncomingMessage) => string | null;
  catchUps: CatchUps;
  /** The first stream of an account on this node has begun, or the last one has ended. */
  began: (accountId: string) => void;
  ended: (accountId: string) => void;
}

export class EventStreams {
  readonly #options: StreamOptions;
  readonly #byAccount = new Map<string, Set<Stream>>();
  readonly #ofAccounts = new Connections<Stream>(endStream);
  readonly #ofSessions = new Connections<Stream>(endStream, maxOnNode, maxPerSession);
  readonly #unread = new WriteBufferLimits<Stream>(({ response }) => cutOff(response));
  #stopBeat: (() => void) | null = null;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  has(accountId: string): boolean {
    return this.#byAccount.has(accountId);
  }

  get all(): Stream[] {
    return [...this.#byAccount.values()].flatMap((streams) => [...streams]);
  }

  /** To the readers of this node. */
  publish(accountId: string, line: StreamLine): void {
    for (const stream of this.#byAccount.get(accountId) ?? [])
      this.#write(stream, 'line', line, stream.catchUps > 0 ? null : line.since);
  }

  async open(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return refuse(response, 405);
    const secret = this.#options.streamSessionIn(request);
    const since = sinceIn({ since: cursorOf(request) });
    if (secret === null || since === undefined) return refuse(response, secret === null ? 401 : 422);
    const credential: Credential = { by: 'session', secret };
    const caller = await this.#lookUp(credential, request, response);
    if (caller === null || response.destroyed) return;
    const stream = { accountId: caller.accountId, credential, response, catchUps: 0 };
    if (!this.#add(stream)) return refuse(response, 429);
    response.writeHead(200, head);
    await this.catchUp(stream, since);
  }

  /** Ends a stream that cannot get every event, so that its reader connects again and asks for them. */
  async catchUp(stream: Stream, since: number | null): Promise<void> {
    const { log, clock } = this.#options;
    const at = toIso(clock.now());
    stream.catchUps += 1;
    try {
      if (since !== null && !(await this.#sendMissed(stream, since))) return endStream(stream);
      stream.catchUps -= 1;
      this.#write(stream, 'caught_up', { at }, at);
    } catch (error) {
      log.warn({ error: asError(error) }, 'live.not-caught-up');
      endStream(stream);
    }
  }

  /** Ends the streams whose session has ended. */
  async recheck(): Promise<void> {
    const { authenticate, log } = this.#options;
    await Promise.all(
      this.all.map(async (stream) => {
        try {
          if ((await authenticate(stream.credential)) === null) endStream(stream);
        } catch (error) {
          // The store is unreachable: an admitted stream stays, as with every cached answer.
          log.warn({ error: asError(error) }, 'live.authenticate-failed');
        }
      }),
    );
  }

  /** Readers connect again, to a node that is up. */
  close(): void {
    this.#stopBeat?.();
    this.all.forEach(endStream);
  }

  /** null: refused, and answered. */
  async #lookUp(
    credential: Credential,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<LiveCaller | null> {
    const { admit, authenticate, log } = this.#options;
    const isGone = (): boolean => response.destroyed;
    try {
      const caller = await (admit === undefined
        ? authenticate(credential)
        : admit(credential, { request, connection: request.socket, isGone }));
      if (caller === null) refuse(response, 401);
      return caller;
    } catch (error) {
      if (!(error instanceof Fault)) log.warn({ error: asError(error) }, 'live.authenticate-failed');
      refuse(response, error instanceof Fault ? error.status : 503);
      return null;
    }
  }

  #add(stream: Stream): boolean {
    const { accountId, credential, response } = stream;
    if (!this.#ofAccounts.add(accountId, stream)) return false;
    const isAdded = this.#ofSessions.add(credential.secret, stream);
    response.once('close', () => this.#remove(stream));
    response.on('drain', () => this.#unread.note(accountId, stream, 0));
    if (!isAdded) {
      this.#ofAccounts.remove(accountId, stream);
      return false;
    }
    const own = this.#byAccount.get(accountId) ?? new Set();
    this.#byAccount.set(accountId, own.add(stream));
    if (own.size === 1) this.#options.began(accountId);
    this.#stopBeat ??= this.#beatLater();
    return true;
  }

  #remove(stream: Stream): void {
    const { accountId, credential } = stream;
    this.#ofAccounts.remove(accountId, stream);
    this.#ofSessions.remove(credential.secret, stream);
    this.#unread.note(accountId, stream, 0);
    const own = this.#byAccount.get(accountId);
    if (own?.delete(stream) !== true || own.size > 0) return;
    this.#byAccount.delete(accountId);
    this.#options.ended(accountId);
  }

  #beatLater(): () => void {
    return this.#options.clock.after(heartbeatMs, () => {
      for (const { response } of this.all) if (isOpen(response)) response.write(':\n\n');
      this.#stopBeat = this.#byAccount.size === 0 ? null : this.#beatLater();
    });
  }

  #sendMissed(stream: Stream, since: number): Promise<boolean> {
    const { accountId, response } = stream;
    this.#write(stream, 'catching_up', { since: toIso(since) }, toIso(since));
    return this.#options.catchUps.run({
      accountId,
      since,
      isGone: () => response.destroyed,
      event: (...event) => this.#write(stream, 'line', eventLine(...event), null),
      logged: (entry) => this.#write(stream, 'line', entryLine(entry), null),
      drained: () => this.#drained(response),
    });
  }

  /** `id`: from where its reader goes on after a reconnect; null: as before. */
  #write(stream: Stream, name: string, said: object, id: string | null): void {
    const { accountId, response } = stream;
    if (!isOpen(response)) return;
    const cursor = id === null ? '' : `id: ${id}\n`;
    response.write(`event: ${name}\n${cursor}data: ${JSON.stringify(said)}\n\n`);
    this.#unread.note(accountId, stream, response.writableLength);
  }

  async #drained(response: ServerResponse): Promise<void> {
    if (!response.writableNeedDrain) return;
    const cancel = this.#options.clock.after(unreadMs, () => cutOff(response));
    await new Promise<void>((resolve) => {
      response.once('drain', resolve).once('close', resolve);
    });
    cancel();
  }
}

function isOpen({ destroyed, writableEnded }: ServerResponse): boolean {
  return !destroyed && !writableEnded;
}

function endStream({ response }: Pick<Stream, 'response'>): void {
  response.end();
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Cache-Control': 'no-store' }).end();
}

/** Where the reader goes on: a browser repeats the address of its first connection, and says the rest in a header. */
function cursorOf({ url = '', headers }: IncomingMessage): string | null {
  const said = headers['last-event-id'];
  if (typeof said === 'string' && said !== '') return said;
  return new URLSearchParams(url.split('?')[1]).get('since');
}
