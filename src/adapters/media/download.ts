/** One GET, redirect by redirect. [upstream §5] */
import type { Readable } from 'node:stream';
import type { Agent, buildConnector, request } from 'undici';
import { guardedConnector, guardedLookup } from '../outgoing/dial.ts';
import type { Lookup } from '../outgoing/dial.ts';
import type { HostRules, Place } from './hosts.ts';
import { makeHosts } from './hosts.ts';
import { Failure } from './failure.ts';

/** Upstream's own links need one. */
const mostRedirects = 5;
const connectTimeoutMs = 5_000;
const maxHeaderBytes = 16_384;

export interface Download {
  body: Readable;
  /** Of the answer's head. */
  length: number | null;
  contentType: string | null;
  disposition: string | null;
  /** After all redirects. */
  url: URL;
}

export interface DownloadRules extends HostRules {
  /** For name look-ups of hosts that are not upstream's own place. */
  lookup: Lookup;
  userAgent: string;
  /** Longest silence before and between pieces. */
  idleMs: number;
  /** Certificates (PEM) trusted in place of the system's. */
  ca?: string;
}

export interface Downloader {
  /** Throws Failure. `signal` ends it at any time. */
  open(address: string, authorization: string | null, signal: AbortSignal): Promise<Download>;
  close(): Promise<void>;
}

type Request = typeof request;

export function makeDownloader(rules: DownloadRules): Downloader {
  const placeOf = makeHosts(rules);
  let wire: Promise<{ request: Request; guarded: Agent; ours: Agent }> | null = null;

  /** undici is loaded with the first file. [performance §1, Start] */
  async function openWire() {
    const { Agent: Agents, buildConnector: connector, request: send } = await import('undici');
    const guard = guardedConnector(connector(connectOptions(rules)), false);
    const options = { maxHeaderSize: maxHeaderBytes, pipelining: 0, keepAliveTimeout: 4_000 };
    return {
      request: send,
      guarded: new Agents({ ...options, connect: guard }),
      ours: new Agents({ ...options, connect: { timeout: connectTimeoutMs } }),
    };
  }

  async function hop(place: NonNullable<Place>, authorization: string | null, signal: AbortSignal) {
    const { request: send, guarded, ours } = await (wire ??= openWire());
    return send(place.url, {
      dispatcher: place.isOurs ? ours : guarded,
      signal,
      headersTimeout: rules.idleMs,
      bodyTimeout: rules.idleMs,
      headers: {
        'user-agent': rules.userAgent,
        'accept-encoding': 'identity',
        // Never beyond the hosts that may see it, wherever a redirect leads.
        ...(authorization !== null && place.seesToken ? { authorization } : {}),
      },
    });
  }

  return {
    async open(address, authorization, signal) {
      let place = placeOf(address);
      for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
        if (place === null) throw new Failure('forbidden');
        const { statusCode, headers, body } = await hop(place, authorization, signal);
        const location = textOf(headers['location']);
        if (statusCode === 200) return found(place.url, headers, body);
        drop(body);
        if (statusCode < 300 || statusCode > 399 || location === null) throw Failure.ofStatus(statusCode);
        place = placeOf(location, place.url);
      }
      throw new Failure('forbidden');
    },
    async close() {
      const opened = await wire;
      await Promise.all([opened?.guarded.destroy(), opened?.ours.destroy()]);
    },
  };
}

function connectOptions({ lookup, ca }: DownloadRules): buildConnector.BuildOptions {
  return {
    timeout: connectTimeoutMs,
    lookup: guardedLookup(lookup, false),
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  };
}

type Headers = Record<string, string | string[] | undefined>;

function found(url: URL, headers: Headers, body: Readable): Download {
  const length = Number(textOf(headers['content-length']) ?? NaN);
  return {
    body,
    length: Number.isSafeInteger(length) ? length : null,
    contentType: textOf(headers['content-type']),
    disposition: textOf(headers['content-disposition']),
    url,
  };
}

function textOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

/** What is not wanted is not read. */
export function drop(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}
