/** What the driver's errors mean. They are recognised by shape, because the driver is loaded lazily. */
import { StoreUnavailable } from '../../kernel/faults.ts';
import { asRecord } from '../../kernel/json.ts';

/** The server rejected this write; a batch without it may succeed. */
export class Refused extends StoreUnavailable {}

/** A unique index rejected a write. `index` is its name; the value is left out, because it may be a secret. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
  readonly index: string;

  constructor(index: string) {
    super(`the unique index ${index} has this key already`);
    this.index = index;
  }
}

/** A statement of a batch met a server that changes its role: the batch must be sent again. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code: number;

  constructor(code: number) {
    super(`interrupted by code ${code}`);
    this.code = code;
  }
}

/**
 * `unapplied`: retry; certainly had no effect. `unknown`: retry; may have had an effect. `closed`: this process closed the client.
 * `duplicate`, `refused`: answers that a retry would not change. `ours`: not from the driver.
 */
type ErrorKind = 'unapplied' | 'unknown' | 'closed' | 'duplicate' | 'refused' | 'ours';

export const duplicateKeyCode = 11000;
export const unauthorizedCode = 13;

/**
 * Stepping down, shutting down, interrupted, timed out. 10107 may come without the label RetryableWriteError, so labels alone are not
 * enough. [architecture §9; faults: 20, 24]
 */
const transientCodes = new Set([
  6, 7, 24, 50, 64, 79, 89, 91, 112, 133, 134, 189, 202, 262, 290, 317, 358, 384, 9001, 10058, 10107, 11600,
  11602, 13388, 13435, 13436,
]);

const unappliedNames = new Set([
  'MongoServerSelectionError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
]);
const unknownNames = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'PoolClearedOnNetworkError', // interrupted in flight, unlike MongoPoolClearedError
  'MongoStalePrimaryError',
  'MongoOperationTimeoutError',
  'MongoWriteConcernError',
  'MongoUnexpectedServerResponseError',
  'Interrupted',
]);
const closedNames = new Set([
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoServerClosedError',
  'MongoPoolClosedError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
]);

export function isTransientCode(code: number): boolean {
  return transientCodes.has(code);
}

export function classify(error: unknown): ErrorKind {
  const { name, code } = readShape(error);
  const cause = causeInBulk(error);
  // An earlier part of the bulk may have been applied.
  if (cause !== null) return classify(cause) === 'unapplied' ? 'unknown' : classify(cause);
  if (closedNames.has(name)) return 'closed';
  if (unappliedNames.has(name)) return 'unapplied';
  if (unknownNames.has(name)) return 'unknown';
  // A socket error (EPIPE, ERR_STREAM_…), which the driver passes on when a write meets a closed connection.
  if (typeof code === 'string' && code.startsWith('E')) return 'unknown';
  if (!name.startsWith('Mongo') && !name.startsWith('BSON')) return 'ours';
  if (code === duplicateKeyCode) return 'duplicate';
  if (typeof code === 'number' && isTransientCode(code)) return 'unknown';
  return hasRetryLabel(error) ? 'unknown' : 'refused';
}

/** Name and code only, because the server's messages quote keys and values. */
export function describe(error: unknown): string {
  const { name, code } = readShape(error);
  if (code === unauthorizedCode) return `${name} ${code}: the user of MONGODB_URI may not do this`;
  return typeof code === 'number' || typeof code === 'string' ? `${name} ${code}` : name;
}

/** Reads the name of the index from the server's message; `unknown` if the message has another form. */
export function readDuplicateKey(error: unknown): DuplicateKey {
  const found = /index: (?:[^ ]*\$)?([A-Za-z0-9_]+)/.exec(readShape(error).message);
  return new DuplicateKey(found?.[1] ?? 'unknown');
}

function readShape(error: unknown): { name: string; code: unknown; message: string } {
  const { name, code, message } = asRecord(error) ?? {};
  return { name: String(name), code, message: String(message) };
}

/**
 * The network or server error behind a failed bulk; null if the server answered the bulk. The bulk error itself has neither its name nor
 * its labels.
 */
function causeInBulk(error: unknown): Error | null {
  const { name } = readShape(error);
  if (name !== 'MongoBulkWriteError') return null;
  const { errorResponse }: { errorResponse?: unknown } = Object(error);
  return errorResponse instanceof Error ? errorResponse : null;
}

function hasRetryLabel(error: unknown): boolean {
  const { hasErrorLabel } = asRecord(error) ?? {};
  if (typeof hasErrorLabel !== 'function') return false;
  return ['RetryableWriteError', 'RetryableReadError', 'ResetPool'].some(
    (label) => Reflect.apply(hasErrorLabel, error, [label]) === true,
  );
}
