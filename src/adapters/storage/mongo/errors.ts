/** What an error of the driver means for us. Errors are read by shape: the driver is loaded late and only once. */
import { StoreUnavailable } from '../../../kernel/faults.ts';

/** The server answers and says no to this very write: a batch without it may succeed. */
export class Refused extends StoreUnavailable {}

/** A unique index refused a write. `index`: its name; never the value, which may be a secret. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
  readonly index: string;

  constructor(index: string) {
    super(`the unique index ${index} has this key already`);
    this.index = index;
  }
}

/** One statement of a batch met a server that is changing its role: the batch is to be sent again. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code: number;

  constructor(code: number) {
    super(`interrupted by code ${code}`);
    this.code = code;
  }
}

/**
 * `unapplied`: worth repeating, certainly had no effect. `unknown`: worth repeating, may have had one. `closed`: we closed.
 * `duplicate`, `refused`: an answer, repeating it changes nothing. `ours`: not of the driver.
 */
export type ErrorKind = 'unapplied' | 'unknown' | 'closed' | 'duplicate' | 'refused' | 'ours';

export const duplicateKeyCode = 11000;

/**
 * Stepping down, shutting down, interrupted, timed out. 10107 may come without the label RetryableWriteError, so labels alone
 * do not decide. [architecture §9; faults: 20, 24]
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

export function kindOf(error: unknown): ErrorKind {
  if (!(error instanceof Error)) return 'ours';
  const { name } = error;
  if (closedNames.has(name)) return 'closed';
  if (unappliedNames.has(name)) return 'unapplied';
  if (unknownNames.has(name)) return 'unknown';
  if (!name.startsWith('Mongo') && !name.startsWith('BSON')) return 'ours';
  const code = codeOf(error);
  if (code === duplicateKeyCode) return 'duplicate';
  if (code !== null && isTransientCode(code)) return 'unknown';
  return hasRetryLabel(error) ? 'unknown' : 'refused';
}

/** Name and code only: messages of the server quote keys and values. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = codeOf(error);
  return code === null ? error.name : `${error.name} ${code}`;
}

/** The name of the index that refused, from the server's sentence; `unknown` when it says it in another way. */
export function duplicateOf(error: unknown): DuplicateKey {
  const found = error instanceof Error ? /index: (?:[^ ]*\$)?([A-Za-z0-9_]+)/.exec(error.message) : null;
  return new DuplicateKey(found?.[1] ?? 'unknown');
}

function codeOf(error: Error): number | null {
  return 'code' in error && typeof error.code === 'number' ? error.code : null;
}

function hasRetryLabel(error: Error): boolean {
  if (!('hasErrorLabel' in error) || typeof error.hasErrorLabel !== 'function') return false;
  return ['RetryableWriteError', 'RetryableReadError', 'ResetPool'].some(
    (label) => Reflect.apply(Object(error).hasErrorLabel, error, [label]) === true,
  );
}
