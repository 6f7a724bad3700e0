/** A GET that follows redirects and checks each of them. [upstream §5] */
import http from 'node:http';
import https from 'node:https';
import { isIP, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../kernel/clock.ts';
import { noNetworks } from '../rules/address.ts';
import { hostsLookup, makeDial, maxHeaderBytes, overSocket, ownListeners } from '../delivery/dial.ts';
import type { Lookup } from '../delivery/dial.ts';
import { makeHosts } from './hosts.ts';
import type { HostRules, FileAddress } from './hosts.ts';
import { Failure } from './failure.ts';
import { freeBlocks } from './blocks.ts';

/** Upstream's own URLs need one redirect. */
const maxRedirects = 5;

/** Longest name of a host. */
const maxHostName = 253;

export interface Download {
  body: Readable;
  /** Content-Length. */
  length: number | null;
  contentType: string | null;
  disposition: string | null;
  /** The URL after all redirects. */
  url: URL;
}

export interface DownloadRules extends HostRules {
  /** Resolves names of hosts other than upstream's API. */
  lookup: Lookup;
  userAgent: string;
  clock: Clock;
  /** Longest silence before and between chunks. */
  idleMs: number;
  /** CA certificates (PEM) that replace the system's. */
  ca?: string;
}

type CreateConnection = NonNullable<http.RequestOptions['createConnection']>;

/** What every request of a download carries. */
interface Asking {
  /** Sent only to hosts that may see it. */
  authorization: string | null;
  requestId?: string;
}

interface Downloader {
  /** Resolves with the answer's head and its unread body. Throws Failure. `signal` aborts it at any time. */
  open(address: string, asking: Asking, signal: AbortSignal): Promise<Download>;
}

export function makeDownloader(rules: DownloadRules): Downloader {
  const resolveAddress = makeHosts(rules);
  const connectOurs = makeConnect(rules, hostsLookup, true);
  const connectOther = makeConnect(rules, rules.lookup, false);

  /**
   * Uses Node's own client: undici's parser asserts, which ends the process, if a host closes while our reader is paused
   * (`assert(!this.paused)` in 7.30). A file may cost a connection of its own.
   */
  function hop(
    { url, isOurs, seesToken }: NonNullable<FileAddress>,
    { authorization, requestId }: Asking,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const { idleMs, userAgent } = rules;
    const headers = {
      'user-agent': userAgent,
      'accept-encoding': 'identity',
      // Only for hosts that may see the token, wherever a redirect leads.
      ...(authorization !== null && seesToken ? { authorization } : {}),
      ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
    };
    const createConnection = isOurs ? connectOurs : connectOther;
    const options = { headers, signal, createConnection, timeout: idleMs, maxHeaderSize: maxHeaderBytes };
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? https.get(url, options) : http.get(url, options);
      let answer: http.IncomingMessage | null = null;
      request.on('timeout', () => (answer ?? request).destroy(new Failure('timeout')));
      request.on('error', reject);
      request.on('response', (response) => {
        answer = response;
        // The response may fail before its reader listens; the reader gets the error when it starts to read.
        response.on('error', () => undefined);
        resolve(response);
      });
    });
  }

  return {
    async open(address, asking, signal) {
      let place = resolveAddress(address);
      let next = address;
      for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
        if (place === null) throw new Failure('forbidden', { host: hostIn(next) });
        const body = await hop(place, asking, signal);
        const { statusCode = 0, headers } = body;
        const location = firstHeader(headers['location']);
        if (statusCode === 200) {
          freeBlocks(body);
          return found(place.url, headers, body);
        }
        drop(body);
        if (statusCode < 300 || statusCode > 399 || location === null) throw Failure.ofStatus(statusCode);
        next = location;
        place = resolveAddress(location, place.url);
      }
      throw new Failure('forbidden');
    },
  };
}

/** null: the address names none. */
function hostIn(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname.slice(0, maxHostName) || null : null;
}

/** A connection that no agent keeps. `allowInsecure`: the host is that of upstream's API, whose address is not checked. */
function makeConnect(
  { clock, idleMs, ca }: DownloadRules,
  lookup: Lookup,
  allowInsecure: boolean,
): CreateConnection {
  const rules = { allowInsecure, networks: noNetworks, own: ownListeners([]) };
  const dial = makeDial({ lookup, rules, clock, timeoutMs: idleMs });
  return ({ hostname, port, protocol }, created) => {
    const host = unbracketed(hostname ?? '');
    const isTls = protocol === 'https:';
    dial({ hostname: host, port: Number(port ?? (isTls ? 443 : 80)) }, (error, socket) => {
      // Node's client reads no socket beside an error.
      if (socket === null) return created(asFailure(error), new Socket());
      const trusted = ca === undefined ? {} : { ca };
      if (!isTls) return created(null, socket.setTimeout(idleMs));
      const name = isIP(host) === 0 ? { servername: host } : {};
      const failed = (why: Error): void => created(why, new Socket());
      overSocket(socket, failed, () =>
        created(null, connectTls({ socket, host, ...name, ...trusted }).setTimeout(idleMs)),
      );
    });
    return null;
  };
}

function asFailure(error: Error | null): Error {
  const isLate = error !== null && 'code' in error && error.code === 'ETIMEDOUT';
  return isLate ? new Failure('timeout', { cause: error }) : (error ?? new Failure('connection'));
}

function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function found(url: URL, headers: http.IncomingHttpHeaders, body: Readable): Download {
  const length = Number(firstHeader(headers['content-length']) ?? NaN);
  return {
    body,
    length: Number.isSafeInteger(length) ? length : null,
    contentType: firstHeader(headers['content-type']),
    disposition: firstHeader(headers['content-disposition']),
    url,
  };
}

function firstHeader(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

/** Destroys the body of an unwanted response without reading it. */
export function drop(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}
