/** A file as an answer: streamed, as an attachment that no browser executes in our origin. [faults: 85, API10] */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { create } from 'content-disposition';
import type { Clock } from '../kernel/clock.ts';
import { asError, fault } from '../kernel/faults.ts';
import { freeMemory } from '../kernel/free-memory.ts';
import type { Log } from '../kernel/log.ts';
import { cutOff } from './cut-off.ts';
import type { FileSlots } from './middleware/file-slots.ts';
import { readRequestId } from './middleware/request-headers.ts';

/** A client that reads nothing for this long is disconnected, because it holds a download slot. */
const stalledMs = 60_000;

interface Described {
  id: string;
  mimeType: string;
  fileSize: number;
  filename: string | null;
}

interface Sending {
  fileSlots: FileSlots;
  clock: Clock;
  log: Log;
}

export class FileAnswer {
  readonly #file: Described;
  readonly #bytes: AsyncIterable<Uint8Array>;
  readonly #accountId: string;

  constructor(file: Described, bytes: AsyncIterable<Uint8Array>, accountId: string) {
    this.#file = file;
    this.#bytes = bytes;
    this.#accountId = accountId;
  }

  /** Throws 503 `overloaded` while too many files are being sent. A failure after the head was written closes the connection. */
  async send(
    request: IncomingMessage,
    response: ServerResponse,
    { fileSlots, clock, log }: Sending,
  ): Promise<void> {
    const { id, fileSize } = this.#file;
    const free = fileSlots.take(this.#accountId);
    if (free === null) throw fault('overloaded');
    try {
      response.writeHead(200, this.#head(readRequestId(request)));
      if (request.method !== 'HEAD') await pour(this.#bytes, response, clock);
      response.end();
    } catch (error) {
      // Fewer bytes than `Content-Length` promised: the client sees a broken transfer, never half a file as a whole one.
      if (!response.closed)
        log.warn(
          { request_id: readRequestId(request), media: id, bytes: fileSize, error: asError(error) },
          'media.broken-off',
        );
      response.destroy();
    } finally {
      free();
    }
  }

  #head(requestId: string): string[] {
    const { mimeType, fileSize, filename } = this.#file;
    return [
      'Content-Type',
      mimeType,
      'Content-Length',
      String(fileSize),
      'Content-Disposition',
      attachment(filename),
      'X-Content-Type-Options',
      'nosniff',
      'Content-Security-Policy',
      "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy',
      'same-origin',
      'Accept-Ranges',
      'none',
      'Cache-Control',
      'no-store',
      'X-Request-Id',
      requestId,
    ];
  }
}

/** Writes with back-pressure, as fast as the client reads. */
async function pour(bytes: AsyncIterable<Uint8Array>, response: ServerResponse, clock: Clock): Promise<void> {
  for await (const piece of bytes) {
    if (response.destroyed) return;
    if (!response.write(piece, () => freeMemory(piece))) await drained(response, clock);
  }
}

/** Resolves once the client has read what was written, or is disconnected. Disconnects a client that reads nothing for a minute. */
export function drained(response: ServerResponse, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      response.off('drain', done).off('close', done);
      resolve();
    };
    const cancel = clock.after(stalledMs, () => cutOff(response));
    response.on('drain', done).on('close', done);
  });
}

const longest = 255;

/**
 * An `attachment` value with the file name, if there is one: in ASCII for old clients (RFC 6266) and in UTF-8 (RFC 8187). The value is
 * printable ASCII, whatever the name contains. [faults: 74]
 */
export function attachment(filename: string | null): string {
  const name = filename === null ? '' : harmless(filename);
  return create(name === '' ? undefined : name, { fallback: name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_') });
}

/** Replaces what could break a header or escape a folder: line breaks, other controls, slashes, lone surrogates. */
function harmless(filename: string): string {
  const clean = filename
    .slice(0, 4 * longest)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}/\\]/gu, '_')
    .trim();
  const characters = Array.from(clean);
  if (characters.length <= longest) return clean;
  // A shortened name keeps its extension, which tells the file type.
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(filename)?.[0] ?? '';
  return characters.slice(0, longest - extension.length).join('') + extension;
}
