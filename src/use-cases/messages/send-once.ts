/**
 * `Idempotency-Key` of the sends. [operator-interface §4]
 *
 * A key is free → running (a record without an answer) → answered, for 24 hours from its first use. A refusal makes it free
 * again, because nothing was sent. It is looked at before anything else about the request, so that the first answer is given
 * again even if the channel or licence has changed since.
 *
 * A process that dies while its call runs leaves the record running. No call runs for longer than `abandonedAfterMs`: past
 * it, a retry takes the call over with the message id of the record. That can't send a second message: the insert of the
 * message is the claim of its first copy, and the first insert wins. [architecture §5]
 */
import { asError, fault, Fault, StoreUnavailable } from '../../kernel/faults.ts';
import { hashOf, newId } from '../../kernel/ids.ts';
import type { Caller, SendAnswer } from '../index.ts';
import type { IdempotencyRecord } from '../ports.ts';
import type { CachedWorld } from '../world.ts';

const keptMs = 24 * 60 * 60_000;
const abandonedAfterMs = 2 * 60_000;

export interface OnceRequest {
  key: string;
  /** The parts of the request that must be the same again. */
  body: readonly string[];
}

/** Runs `send` once per account and key; throws 409 `conflict` for another body or while the first call still runs. */
export async function sendOnce(
  world: CachedWorld,
  caller: Caller,
  request: OnceRequest,
  send: (messageId: string) => Promise<SendAnswer>,
): Promise<SendAnswer> {
  const mine = newRecord(world, caller, request);
  const standing = await world.stores.idempotency.begin(mine, mine.createdAt - keptMs);
  if (standing.bodyHash !== mine.bodyHash) {
    throw fault('conflict', { why: 'This Idempotency-Key was already used with another request body' });
  }
  const firstAnswer = answerIn(standing);
  if (firstAnswer !== null) return firstAnswer;
  const isMine = standing.messageId === mine.messageId;
  if (!isMine && mine.createdAt - standing.createdAt < abandonedAfterMs) {
    throw fault('conflict', {
      why: 'The first request with this Idempotency-Key is still running; retry later',
    });
  }
  try {
    return await sendAndKeep(world, standing, send);
  } catch (thrown) {
    if (isMine && nothingWasSent(thrown)) await forget(world, standing);
    throw thrown;
  }
}

function newRecord(world: CachedWorld, caller: Caller, request: OnceRequest): IdempotencyRecord {
  return {
    accountId: caller.accountId,
    key: request.key,
    bodyHash: hashOf(JSON.stringify(request.body)),
    messageId: newId(),
    answer: null,
    createdAt: world.clock.now(),
  };
}

async function sendAndKeep(
  world: CachedWorld,
  record: IdempotencyRecord,
  send: (messageId: string) => Promise<SendAnswer>,
): Promise<SendAnswer> {
  const answer = await send(record.messageId);
  await keep(world, record, answer);
  return answer;
}

/**
 * Any other error leaves open whether something was sent: then the record stays and guards against a second message. So does
 * a taken-over record, whatever its retry ends with: the call it stands for may have sent something.
 */
function nothingWasSent(thrown: unknown): boolean {
  return thrown instanceof Fault || thrown instanceof StoreUnavailable;
}

/** The message is sent: a store that fails now must not turn the answer into a 503, which means "not sent". [faults: I3] */
async function keep(world: CachedWorld, record: IdempotencyRecord, answer: SendAnswer): Promise<void> {
  try {
    await world.stores.idempotency.answered(record.accountId, record.key, answer);
  } catch (thrown) {
    world.log.warn({ error: asError(thrown), messageId: record.messageId }, 'idempotency.answer_not_kept');
  }
}

/** Failing to forget costs the client a 409 until the record counts as abandoned; the refusal is the better answer. */
async function forget(world: CachedWorld, record: IdempotencyRecord): Promise<void> {
  try {
    await world.stores.idempotency.forget(record.accountId, record.key);
  } catch (thrown) {
    world.log.warn({ error: asError(thrown), messageId: record.messageId }, 'idempotency.key_not_freed');
  }
}

/** null: the first call has not answered. The store hands back plain JSON. */
function answerIn(record: IdempotencyRecord): SendAnswer | null {
  const { answer, messageId } = record;
  if (typeof answer !== 'object' || answer === null || !('status' in answer)) return null;
  if (answer.status === 'sent' || answer.status === 'queued') return { messageId, status: answer.status };
  if (answer.status !== 'failed') return null;
  const error = 'error' in answer && typeof answer.error === 'string' ? answer.error : '';
  const errorCode = 'errorCode' in answer && typeof answer.errorCode === 'number' ? answer.errorCode : null;
  return { messageId, status: 'failed', error, errorCode };
}
