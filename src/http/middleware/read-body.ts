import type { IncomingMessage } from 'node:http';
import { fault } from '../../kernel/faults.ts';
import { readMimeType } from '../../kernel/mime-type.ts';
import { ClientGone } from './error-funnel.ts';
import type { BodyBudget, HeldBody } from './body-budget.ts';
import { maxChunks } from './refused-request.ts';

/** [operator-interface §4] body over 1 MiB */
export const apiBodyLimit = 1024 * 1024;
/** [upstream §1.6] Max size 3 MB */
export const upstreamBodyLimit = 3 * 1024 * 1024;

/** Chunks that are concatenated to one: of 10,000 chunks at most 219 buffers are held, 156 concatenated and 63 single ones. */
const piecesTogether = 64;

/**
 * Reads the raw body: at most `limit` bytes and 10,000 chunks. A chunk costs 400 bytes beside its content, so chunks are concatenated on
 * the way, and the memory in use stays close to the bytes that `BodyBudget` counts. A declared length above the limit is rejected before the
 * first byte, a false or missing one at the limit. The server's `requestTimeout` bounds the time. [faults: 92]
 *
 * Throws Fault 413, the fault with which `held` rejects the body, and `ClientGone` when the connection ends first.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  held: HeldBody | null = null,
): Promise<Buffer> {
  const announced = announcedBy(request);
  if (announced > limit) return Promise.reject(fault('body_too_large'));
  // The client may have disconnected while its key was looked up: no event would ever come.
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
    // Every request closes after its answer: an error created in vain there costs its stack trace, 3 % of a send.
    request.on('close', () => {
      if (!hasEnded) reject(new ClientGone());
    });
  });
}

/**
 * Bytes that need no counting: a stranger's whole body in one chunk is verified in this turn; of an account the declared length is counted.
 */
function isCounted({ accountId }: HeldBody, chunk: Buffer, announced: number): boolean {
  return accountId === null ? chunk.length === announced : announced > 0;
}

/**
 * Like `readBody`, within the budget for unauthenticated bodies. A body that arrives in one chunk takes nothing of it. `look` gets the whole body
 * while it still counts. Throws Fault 503 when the body is rejected because the budget is used up.
 */
export async function readCounted<T>(
  request: IncomingMessage,
  limit: number,
  budget: BodyBudget,
  look: (body: Buffer) => T,
): Promise<T> {
  const held = budget.begin(null);
  try {
    return look(await readBody(request, limit, held));
  } finally {
    held.end();
  }
}

/**
 * Like `readBody`, within the limits of the account: a declared length is counted before the first byte is read, chunks without one as they
 * arrive. Throws Fault 429 and 503 when a limit is reached.
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
  const type = readMimeType(contentType);
  if (type === null) return false;
  const charset = type.params.get('charset')?.toLowerCase() ?? 'utf-8';
  const { essence } = type;
  const named =
    essence === 'application/json' || (essence.startsWith('application/') && essence.endsWith('+json'));
  return named && (charset === 'utf-8' || charset === 'utf8');
}
