import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { fault } from '../../kernel/faults.ts';
import { ClientGone } from './error-funnel.ts';
import type { BodyRoom, HeldBody } from './body-room.ts';
import { maxChunks } from './refused-body.ts';

/** [operator-interface §4] body over 1 MiB */
export const apiBodyLimit = 1024 * 1024;
/** [upstream §1.6] Max size 3 MB */
export const upstreamBodyLimit = 3 * 1024 * 1024;

/** Of 10,000 pieces there are never more than 219: 156 put together and 63 on their own. */
const piecesTogether = 64;

/**
 * The raw bytes of the request, never more than `limit` of them in memory, nor more than 10,000 pieces. A piece costs 400 bytes
 * beside its own: small ones are put together on the way, so that what waits costs about what the rooms count. A declared length above
 * the limit is refused before the first byte, a body that lies about its length at the limit. How long a client may take is the server's
 * `requestTimeout`. [faults: 92]
 *
 * Throws Fault 413, what `held` refuses it with, and `ClientGone` when the connection ends first.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  held: HeldBody | null = null,
): Promise<Buffer> {
  const announced = announcedBy(request);
  if (announced > limit) return Promise.reject(fault('body_too_large'));
  // The peer may have left while its key was looked up: no event would ever come.
  if (request.destroyed) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let pieces = 0;
    const giveUp = (why: Error) => {
      request.off('data', take);
      chunks.length = 0;
      reject(why);
    };
    if (held !== null) held.refuse = giveUp;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      pieces += 1;
      if (length > limit || pieces > maxChunks) return giveUp(fault('body_too_large'));
      chunks.push(chunk);
      if (pieces % piecesTogether === 0) chunks.push(Buffer.concat(chunks.splice(-piecesTogether)));
      const refused = held === null || isCounted(held, chunk, announced) ? null : held.grow(chunk.length);
      if (refused !== null) giveUp(refused);
    };
    let hasEnded = false;
    request.on('data', take);
    request.on('end', () => {
      hasEnded = true;
      held?.arrived();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    // Every request closes after its answer: an error made in vain there costs its stack trace, 3 % of a send.
    request.on('close', () => {
      if (!hasEnded) reject(new ClientGone());
    });
  });
}

/** A whole body of a stranger is looked at in this turn; of an account's the announced length has been taken. */
function isCounted({ accountId }: HeldBody, chunk: Buffer, announced: number): boolean {
  return accountId === null ? chunk.length === announced : announced > 0;
}

/**
 * As `readBody`, while the room for unauthenticated bodies lasts. A body that arrives in one piece waits for nothing and takes no room.
 * `look` has the whole body while it still counts. Throws Fault 503 when it had to make room.
 */
export async function readCounted<T>(
  request: IncomingMessage,
  limit: number,
  room: BodyRoom,
  look: (body: Buffer) => T,
): Promise<T> {
  const held = room.begin(null);
  try {
    return look(await readBody(request, limit, held));
  } finally {
    held.end();
  }
}

/**
 * The same within what its account may hold: an announced length is taken before the first byte is read, pieces without one as they
 * come. Throws Fault 429 and 503 where there is no room.
 */
export function readHeld(request: IncomingMessage, limit: number, held: HeldBody): Promise<Buffer> {
  const announced = announcedBy(request);
  const refused = announced === 0 || announced > limit ? null : held.grow(announced);
  return refused === null ? readBody(request, limit, held) : Promise.reject(refused);
}

function announcedBy({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
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
  const type = parseMimeType(contentType);
  if (type === null) return false;
  const charset = type.params.get('charset')?.toLowerCase() ?? 'utf-8';
  const { essence } = type;
  const named =
    essence === 'application/json' || (essence.startsWith('application/') && essence.endsWith('+json'));
  return named && (charset === 'utf-8' || charset === 'utf8');
}

function parseMimeType(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null; // the constructor's only failure is a text that is no MIME type
  }
}
