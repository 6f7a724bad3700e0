/** What a channel's owner writes about its deliveries and into the outbox of mails, as statements. */
import type { Document } from 'mongodb';
import type { DeliveryAttempt, MailLine, Write } from '../../../../../actors/channel/ports/writes.ts';
import type { Delivery } from '../../../../domain/webhooks/delivery.ts';
import { maxMailLines } from '../../../../domain/mails/letter.ts';
import { newToken } from '../commands.ts';
import type { Claim, NewDocument, Update } from '../commands.ts';
import { stored } from '../documents.ts';
import type { PendingUpdate } from '../documents.ts';

export function newDelivery(
  channelId: string,
  epoch: number,
  delivery: Delivery,
  owes: readonly PendingUpdate[] | undefined,
): NewDocument {
  const { nextDueAt, createdAt, ...fields } = stored(delivery);
  const isPending = delivery.state === 'pending';
  return {
    ...fields,
    channelId,
    epoch,
    createdAt: new Date(createdAt),
    ...(isPending ? { dueAt: nextDueAt } : { isFinished: true }),
    ...(owes === undefined ? {} : { owes }),
    token: newToken(),
  };
}

export function attemptClaim(
  channelId: string,
  epoch: number,
  { deliveryId: id, attempts, claims }: Extract<Write, { write: 'claimDelivery' }>,
): Claim {
  const token = newToken();
  return {
    id,
    token,
    q: { _id: id, channelId, state: 'pending', attempts, epoch: { $lte: epoch } },
    u: { $set: { epoch, claims, token } },
  };
}

/**
 * Only while pending, and never back to an earlier attempt: a late result must not revive an erased payload. `isCarrying`: its facts
 * are not on their messages yet.
 */
export function attemptFact(
  channelId: string,
  id: string,
  attempt: DeliveryAttempt,
  isCarrying: boolean,
): Update {
  const { state, attempts, firstTriedAt, nextDueAt, lastResult, attemptLog } = attempt;
  const said = attemptLog === null ? { lastResult } : { lastResult, attemptLog };
  const u: Document = { $max: { attempts }, $min: { firstTriedAt } };
  const q = { _id: id, channelId, state: 'pending' };
  const cleared = isCarrying ? {} : { owes: '' };
  if (state === 'pending') {
    u['$set'] = { ...said, claims: 0, dueAt: nextDueAt };
    if (!isCarrying) u['$unset'] = cleared;
    return { id, q: { ...q, attempts: { $lte: attempts } }, u };
  }
  // [spec: Payload storage] The payload goes in the write that ends the delivery.
  u['$set'] = { ...said, state, isFinished: true };
  u['$unset'] = { payload: '', dueAt: '', ...cleared };
  return { id, q, u };
}

/**
 * The line's token makes a repeated write find it there: no match, a duplicate key on the way in, and that is that. One that is left
 * out has no token on record: repeated after a lost reply it is counted twice.
 */
export function mailLine({ id, line, ...mail }: MailLine): Update {
  const token = newToken();
  return {
    id,
    q: { _id: id, 'lines.token': { $ne: token } },
    u: {
      $push: { lines: { $each: [{ token, line }], $slice: maxMailLines } },
      $inc: { told: 1 },
      $setOnInsert: { ...mail, unsent: true },
    },
    upsert: true,
    whenTaken: 'done',
  };
}
