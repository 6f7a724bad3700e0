/**
 * A commit's writes, sorted by the step they belong to. The steps follow one another, so that a crash between two leaves what
 * a redelivery or a reload puts right: mails, unmatched facts and deliveries come before what makes them look done, an unmatched fact is
 * dropped when what it said is written. [architecture §2.1, persist before act]
 */
import { isClaim, isIntent, writeTags } from '../../../../actors/channel/ports/writes.ts';
import type { Write } from '../../../../actors/channel/ports/writes.ts';
import type { Claim, NewDocument, Update } from './commands.ts';
import type { PendingUpdate } from './documents.ts';
import { pendingUpdatesByDelivery } from './pending-updates.ts';
import { attemptClaim, attemptFact, mailLine, newDelivery } from './writes/deliveries.ts';
import { copyClaim, unmatchedFact, unmatchedIds, messageFact, newMessage } from './writes/messages.ts';

interface Sorted {
  inserts: NewDocument[];
  /** For each insert, the place of its write in the commit; likewise for claims. */
  insertAt: number[];
  claims: Claim[];
  claimAt: number[];
  facts: Update[];
}

export interface Plan {
  mails: Update[];
  unmatched: Update[];
  deliveries: Sorted;
  /** Deliveries that carry the facts of this commit until they are on their messages. */
  carriers: string[];
  attempts: Update[];
  messages: Sorted;
  drops: string[];
}

/** null: the steps would not keep the order of writes to one document, or a claim has company; then one after another. */
export function makePlan(
  channelId: string,
  epoch: number,
  writes: readonly Write[],
  isCarrying: (deliveryId: string) => boolean,
): Plan | null {
  if (writes.length > 1 && !canBeSorted(writes)) return null;
  const pendingUpdates = pendingUpdatesByDelivery(writes);
  const about = { channelId, epoch, pendingUpdates, isCarrying };
  const plan: Plan = {
    mails: [],
    unmatched: [],
    deliveries: empty(),
    carriers: [...pendingUpdates.keys()],
    attempts: [],
    messages: empty(),
    drops: [],
  };
  writes.forEach((write, at) => sort(plan, about, write, at));
  return plan;
}

const empty = (): Sorted => ({ inserts: [], insertAt: [], claims: [], claimAt: [], facts: [] });

interface About {
  channelId: string;
  epoch: number;
  pendingUpdates: ReadonlyMap<string, readonly PendingUpdate[]>;
  isCarrying: (deliveryId: string) => boolean;
}

function sort(
  plan: Plan,
  { channelId, epoch, pendingUpdates, isCarrying }: About,
  write: Write,
  at: number,
): void {
  switch (write.write) {
    case 'insertMessage':
    case 'insertEcho':
      plan.messages.inserts.push(newMessage(channelId, epoch, write.message));
      plan.messages.insertAt.push(at);
      return;
    case 'claimCopy':
      plan.messages.claims.push(copyClaim(channelId, epoch, write));
      plan.messages.claimAt.push(at);
      return;
    case 'recordAccepted':
    case 'recordDeferred':
    case 'recordUnknown':
    case 'recordFailed':
    case 'recordStatus':
      plan.messages.facts.push(messageFact(channelId, write));
      return;
    case 'keepWaiting':
      plan.unmatched.push(unmatchedFact(channelId, write.unmatched));
      return;
    case 'dropWaiting':
      plan.drops.push(...write.unmatchedIds.map((id) => unmatchedIds(channelId, id)));
      return;
    case 'insertDelivery':
      plan.deliveries.inserts.push(
        newDelivery(channelId, epoch, write.delivery, pendingUpdates.get(write.delivery.id)),
      );
      plan.deliveries.insertAt.push(at);
      return;
    case 'claimDelivery':
      plan.deliveries.claims.push(attemptClaim(channelId, epoch, write));
      plan.deliveries.claimAt.push(at);
      return;
    case 'recordAttempt':
      plan.attempts.push(
        attemptFact(channelId, write.deliveryId, write.attempt, isCarrying(write.deliveryId)),
      );
      return;
    case 'addMail':
      plan.mails.push(mailLine(write.mail));
      return;
    default:
      write satisfies never;
  }
}

/** A document may be written twice by updates only; a claim stands alone among intents, because one that is fenced stops all. */
function canBeSorted(writes: readonly Write[]): boolean {
  const intents = writes.filter(isIntent);
  if (intents.length > 1 && intents.some(isClaim)) return false;
  const updated = new Set<string>();
  const alone = new Set<string>();
  for (const write of writes) {
    const isUpdate = writeTags[write.write].form === 'update';
    for (const document of listDocumentIds(write)) {
      if (alone.has(document) || (!isUpdate && updated.has(document))) return false;
      (isUpdate ? updated : alone).add(document);
    }
  }
  return true;
}

/** Documents the write touches; the target keeps collections apart. */
function listDocumentIds(write: Write): string[] {
  const { target } = writeTags[write.write];
  return listIds(write).map((id) => `${target}:${id}`);
}

function listIds(write: Write): readonly string[] {
  if ('messageId' in write) return [write.messageId];
  if ('message' in write) return [write.message.id];
  if ('deliveryId' in write) return [write.deliveryId];
  if ('delivery' in write) return [write.delivery.id];
  if ('unmatched' in write) return [write.unmatched.id];
  if ('unmatchedIds' in write) return write.unmatchedIds;
  return [write.mail.id];
}
