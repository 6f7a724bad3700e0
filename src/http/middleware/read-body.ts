import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { fault } from '../../kernel/faults.ts';
import { ClientGone } from './error-funnel.ts';
import type { BodyRoom } from '../upstream/body-room.ts';
import { maxChunks } from './refused-body.ts';

/** [operator-interface §4] body over 1 MiB */
export const apiBodyLimit = 1024 * 1024;
/** [upstream §1.6] Max size 3 MB */
export const upstreamBodyLimit = 3 * 1024 * 1024;

/**
 * The raw bytes of the request, never more than `limit` of them in memory, nor more than 10,000 pieces: a body of single bytes
 * costs a hundred times its size. A declared length above the limit is refused before the first byte; a body that lies about
 * its length is refused at the limit. How long a client may take is the server's `requestTimeout`. [faults: 92]
 *
 * `given` rejects when it is given up. Throws Fault 413, and `ClientGone` when the connection ends first.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  given: Promise<never> | null = null,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    return Promise.reject(fault('body_too_large'));
  }
  // The peer may have left while its key was looked up: no event would ever come.
  if (request.destroyed) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit && chunks.length < maxChunks) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      chunks.length = 0;
      reject(fault('body_too_large'));
    };
    request.on('data', take);
    given?.catch(() => {
      request.off('data', take);
      chunks.length = 0;
    });
    let hasEnded = false;
    // Every request closes after its answer: an error made in vain there costs its stack trace, 3 % of a send.
    const gone = () => {
      if (!hasEnded) reject(new ClientGone());
    };
    request.once('end', () => {
      hasEnded = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.once('error', gone);
    request.once('close', gone);
  });
}

/**
 * The same, as long as there is room for all that nobody has vouched for. `check` looks at the whole body while it still counts.
 * Throws Fault 503 when it had to make room.
 */
export async function readCounted(
  request: IncomingMessage,
  limit: number,
  room: BodyRoom,
  check: (body: Buffer) => boolean,
): Promise<Buffer | null> {
  let refuse: (fault: Error) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => (refuse = reject));
  const reading = room.begin(() => refuse(fault('overloaded', { retryAfter: 1 })));
  const count = (chunk: Buffer): void => room.grow(reading, chunk.length);
  request.on('data', count);
  try {
    const body = await Promise.race([readBody(request, limit, refused), refused]);
    return check(body) ? body : null;
  } finally {
    request.off('data', count);
    room.end(reading);
  }
}

/** Whether the request announces a body at all. */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

/** Throws Fault 415 unless the body is plain JSON in UTF-8: nothing is decompressed and nothing is guessed. */
export function requireJson(request: IncomingMessage): void {
  const { 'content-type': contentType, 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.toLowerCase() !== 'identity') {
    throw fault('unsupported_body', { why: 'Content-Encoding must be identity' });
  }
  if (contentType === 'application/json' || isJson(contentType ?? '')) return;
  throw fault('unsupported_body', { why: 'Content-Type must be application/json in UTF-8' });
}

function isJson(contentType: string): boolean {
  const type = mimeTypeOf(contentType);
  if (type === null) return false;
  const charset = type.params.get('charset')?.toLowerCase() ?? 'utf-8';
  const { essence } = type;
  const named =
    essence === 'application/json' || (essence.startsWith('application/') && essence.endsWith('+json'));
  return named && (charset === 'utf-8' || charset === 'utf8');
}

function mimeTypeOf(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null; // the constructor's only failure is a text that is no MIME type
  }
}
