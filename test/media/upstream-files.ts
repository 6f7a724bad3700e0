/** Upstream's hosts for files, on loopback, and a fetcher for tests. */
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import type { FileRequest } from '../../src/rules/outside.ts';
import { makeFileFetcher } from '../../src/media/index.ts';
import type { FileDownloads, FileFetcherOptions } from '../../src/media/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { silentLog } from '../support/silent-log.ts';
import type { MediaStore } from '../../src/storage/media-store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { channelOf } from '../rules/samples.ts';
import { listening } from '../support/ports.ts';
import type { FileLocation } from '../../src/rules/messages/file-location.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Place {
  url: string;
  port: number;
  requests: IncomingMessage[];
  /** Bytes sent so far, over all connections. */
  written(): number;
  close(): Promise<void>;
}

export async function place(answer: Answer): Promise<Place> {
  const requests: IncomingMessage[] = [];
  const sockets: { bytesWritten: number }[] = [];
  const server = http.createServer((asked, response) => {
    requests.push(asked);
    response.on('error', () => undefined);
    answer(asked, response);
  });
  server.on('connection', (socket) => sockets.push(socket));
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    written: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const channel = channelOf('chatapp', { id: newId(), accountId: newId() });

/** A PNG of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** One second of silence. */
export function wav(): Buffer {
  const head = Buffer.from(
    '524946460000000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000',
    'hex',
  );
  head.writeUInt32LE(36 + 8_000, 4);
  return Buffer.concat([head, Buffer.alloc(8_000, 128)]);
}

export const sha256 = (bytes: Uint8Array, form: 'hex' | 'base64' = 'base64'): string =>
  createHash('sha256').update(bytes).digest(form);

export function request(
  over: Partial<FileRequest['file']> = {},
  type: FileRequest['type'] = 'image',
): FileRequest {
  const file = {
    mediaId: '1',
    url: null,
    mimeType: null,
    filename: null,
    sha256: null,
    voice: false,
    ...over,
  };
  return { channel, type, file };
}

interface Fetching {
  store: MediaStore;
  location?: Partial<Extract<FileLocation, { found: true }>>;
  options?: Partial<FileFetcherOptions>;
}

export interface Fetcher extends FileDownloads {
  /** Why attempts failed, by the log. */
  causes: string[];
}

/** Everything is at `upstream`, and its media node returns `location`. */
export function fetcherOf(upstream: Place, { store, location = {}, options = {} }: Fetching): Fetcher {
  const causes: string[] = [];
  const log = options.log ?? {
    ...makeLog('silent'),
    info: (fields: object) => void causes.push('cause' in fields ? String(fields.cause) : ''),
  };
  const found: FileLocation = {
    found: true,
    url: `${upstream.url}/file`,
    authorization: 'Bearer secret',
    sha256: null,
    fileSize: null,
    mimeType: null,
    ...location,
  };
  const fetcher = makeFileFetcher({
    locator: {
      locate: async (_, { url }) => (url === null ? found : { ...found, url, authorization: null }),
    },
    store,
    clock: systemClock,
    upstreamUrl: upstream.url,
    hosts: ['.files.test'],
    tokenHosts: ['token.files.test'],
    baseUrl: 'https://service.test',
    maxBytes: 1_000_000,
    ttlMs: 60_000,
    limits: { perChannelBytes: 1e12, perAccountBytes: 1e12, reserveBytes: 0 },
    ...options,
    log: { ...silentLog, ...log },
  });
  return Object.assign(fetcher, { causes });
}
