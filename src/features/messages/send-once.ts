/**
 * `Idempotency-Key` of sends. [operator-interface §4]
 *
 * States of a key: free → begun (a record without an answer) → answered, for 24 hours from its first use. A refusal (4xx) frees
 * the key, because nothing was sent. The key is checked before everything else in the request, so that the first answer is
 * repeated even if the channel or licence has changed since.
 *
 * A record without an answer means that its call is running, got a 503, or died with its process. In each case the next
 * request with the key asks the channel's owner again with the record's message id. That can't send a second
 * message: an owner that knows the send also answers the new request, and the insert of the message is the claim of its first
 * copy, which the first insert wins. [architecture §5] Only an abandoned id is replaced, by a fresh record.
 */
import type { IdempotencyRecord } from '../../storage/entities/messages.ts';
import { sealContext } from '../../kernel/sealed.ts';
import { dayMs } from '../../kernel/clock.ts';
import { asError, fault, Fault } from '../../kernel/faults.ts';
import { hashSecret, newId } from '../../kernel/ids.ts';
import { asRecord, asText, canonicalJson } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { Caller } from '../../rules/caller.ts';
import type { RecipientNames } from '../../rules/messages/recipient-names.ts';
import type { SendAnswer } from './types.ts';
import type { World } from '../world.ts';

const keptMs = dayMs;
/** One is enough unless the record of a concurrent request is abandoned too. */
const maxFreshRecords = 3;

interface OnceRequest {
  key: string;
  /** Parts of the request that a repeated request must not change. */
  body: readonly unknown[];
}

interface Sending {
  send(messageId: string): Promise<SendAnswer>;
  /** Repeats a send under its id. null: the id is abandoned, so nothing was sent under it and never will be. */
  sendAgain(messageId: string): Promise<SendAnswer | null>;
}

/** Sends once per account and key. Throws 409 `conflict` for another path or body, and the errors of `sending`. */
export async function sendOnce(
  world: World,
  caller: Caller,
  request: OnceRequest,
  sending: Sending,
): Promise<SendAnswer> {
  for (let fresh = 0; fresh < maxFreshRecords; fresh += 1) {
    const mine = newRecord(world, caller, request);
    const standing = await world.stores.idempotency.begin(mine, mine.createdAt - keptMs);
    if (!isOfBody(world, standing, request)) {
      throw fault('conflict', {
        why: 'This Idempotency-Key was already used with another path or request body',
      });
    }
    const firstAnswer = answerIn(standing);
    if (firstAnswer !== null) return firstAnswer;
    if (standing.messageId === mine.messageId) return sendFirst(world, mine, sending, caller);
    const answer = await sending.sendAgain(standing.messageId);
    if (answer !== null) return keepFirst(world, standing, answer, caller);
    await forget(world, standing, caller);
  }
  throw fault('unavailable');
}

/** Also accepts hashes of earlier versions, made without a key or with the body's keys in received order: such records live for a day. */
function isOfBody(
  { sealer }: World,
  { accountId, bodyHash }: IdempotencyRecord,
  { key, body }: OnceRequest,
): boolean {
  const text = canonicalJson(body);
  if (sealer.isFingerprintOf(bodyHash, text, sealContext.idempotency(accountId, key))) return true;
  return bodyHash === hashSecret(text) || bodyHash === hashSecret(JSON.stringify(body));
}

function newRecord(world: World, caller: Caller, request: OnceRequest): IdempotencyRecord {
  return {
    accountId: caller.accountId,
    key: request.key,
    bodyHash: world.sealer.fingerprint(
      canonicalJson(request.body),
      sealContext.idempotency(caller.accountId, request.key),
    ),
    messageId: newId(),
    answer: null,
    createdAt: world.clock.now(),
  };
}

async function sendFirst(
  world: World,
  record: IdempotencyRecord,
  sending: Sending,
  caller: Caller,
): Promise<SendAnswer> {
  try {
    const answer = await sending.send(record.messageId);
    await keep(world, record, answer, caller);
    return answer;
  } catch (thrown) {
    // After a 503 the record is kept: a concurrent request may be sending under its message id.
    // After `not_sent` too: one that came later may find the message sent.
    if (thrown instanceof Fault && thrown.status < 500 && thrown.details['reason'] !== 'not_sent')
      await forget(world, record, caller);
    throw thrown;
  }
}

/** Stores the answer unless a concurrent request was faster, and returns the stored one: identical requests get identical answers. */
async function keepFirst(
  world: World,
  standing: IdempotencyRecord,
  answer: SendAnswer,
  caller: Caller,
): Promise<SendAnswer> {
  await keep(world, standing, answer, caller);
  try {
    const kept = await world.stores.idempotency.begin({ ...standing, answer }, standing.createdAt);
    return kept.messageId === standing.messageId ? (answerIn(kept) ?? answer) : answer;
  } catch (thrown) {
    warn(world, thrown, standing, caller, 'idempotency.answer-not-read');
    return answer;
  }
}

/** Never throws: the message is sent, and a store failure must not turn the answer into a 503, which means "not sent". [faults: I3] */
async function keep(
  world: World,
  record: IdempotencyRecord,
  answer: SendAnswer,
  caller: Caller,
): Promise<void> {
  try {
    await world.stores.idempotency.answered(record, answer);
  } catch (thrown) {
    warn(world, thrown, record, caller, 'idempotency.answer-not-kept');
  }
}

/** Never throws: after a store failure the key stays bound to this body, and the client should see the refusal. */
async function forget(world: World, record: IdempotencyRecord, caller: Caller): Promise<void> {
  try {
    await world.stores.idempotency.forget(record);
  } catch (thrown) {
    warn(world, thrown, record, caller, 'idempotency.key-not-freed');
  }
}

function warn(
  { log }: World,
  thrown: unknown,
  { messageId }: IdempotencyRecord,
  { requestId }: Caller,
  event: string,
): void {
  log.warn({ error: asError(thrown), message: messageId, request_id: requestId }, event);
}

function namesIn({ userId, waId }: Json): RecipientNames {
  return { ...(typeof userId === 'string' ? { userId } : {}), ...(typeof waId === 'string' ? { waId } : {}) };
}

/** null if the record has no answer. The store returns plain JSON. */
function answerIn({ answer, messageId }: IdempotencyRecord): SendAnswer | null {
  const kept: Json = asRecord(answer) ?? {};
  const status = kept['status'];
  if (status === 'queued') return { messageId, status };
  if (status === 'sent') return { messageId, status, ...namesIn(kept) };
  if (status !== 'failed') return null;
  const code = kept['errorCode'];
  const errorCode = typeof code === 'number' ? code : null;
  return { messageId, status, error: asText(kept['error']) ?? '', errorCode };
}
