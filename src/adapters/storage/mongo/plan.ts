/**
 * A commit's writes, sorted by the step they belong to. The steps follow one another, so that a crash between two leaves what
 * a redelivery or a reload puts right: mails, unmatched facts and deliveries come before what makes them look done, a held fact is
 * dropped when what it said is written. [architecture §2.1, persist before act]
 */
import type { Write } from '../../../../actors/channel/ports.ts';
import type { Claim, NewDocument, Update } from './commands.ts';
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
  attempts: Update[];
  messages: Sorted;
  drops: string[];
}

/** null: the steps would not keep the order of writes to one document, or a claim has company; then one after another. */
export function planOf(channelId: string, epoch: number, writes: readonly Write[]): Plan | null {
  if (writes.length > 1 && !canBeSorted(writes)) return null;
  const plan: Plan = {
    mails: [],
    unmatched: [],
    deliveries: empty(),
    attempts: [],
    messages: empty(),
    drops: [],
  };
  writes.forEach((write, at) => sort(plan, channelId, epoch, write, at));
  return plan;
}

const empty = (): Sorted => ({ inserts: [], insertAt: [], claims: [], claimAt: [], facts: [] });

function sort(plan: Plan, channelId: string, epoch: number, write: Write, at: number): void {
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
    case 'keepUnmatched':
      plan.unmatched.push(unmatchedFact(channelId, write.unmatched));
      return;
    case 'dropUnmatched':
      plan.drops.push(...write.unmatchedIds.map((id) => unmatchedIds(channelId, id)));
      return;
    case 'insertDelivery':
      plan.deliveries.inserts.push(newDelivery(channelId, epoch, write.delivery));
      plan.deliveries.insertAt.push(at);
      return;
    case 'claimDelivery':
      plan.deliveries.claims.push(attemptClaim(channelId, epoch, write));
      plan.deliveries.claimAt.push(at);
      return;
    case 'recordAttempt':
      plan.attempts.push(attemptFact(channelId, write.deliveryId, write.attempt));
      return;
    case 'addMail':
      plan.mails.push(mailLine(write.mail));
      return;
    default:
      write satisfies never;
  }
}

/** An id may be written twice by facts only; a claim stands alone among intents, because one that is fenced stops all. */
function canBeSorted(writes: readonly Write[]): boolean {
  const intents = writes.filter(isIntent);
  if (intents.length > 1 && intents.some(({ write }) => write !== 'insertMessage')) return false;
  const facts = new Set<string>();
  const alone = new Set<string>();
  for (const write of writes) {
    const isFact = write.write.startsWith('record') || write.write === 'addMail';
    for (const id of idsOf(write)) {
      if (alone.has(id) || (!isFact && facts.has(id))) return false;
      (isFact ? facts : alone).add(id);
    }
  }
  return true;
}

export type Intent = Extract<Write, { write: 'insertMessage' | 'claimCopy' | 'claimDelivery' }>;

export function isIntent(write: Write): write is Intent {
  return write.write === 'insertMessage' || isClaim(write);
}

export type ClaimWrite = Extract<Write, { write: 'claimCopy' | 'claimDelivery' }>;

export function isClaim(write: Write): write is ClaimWrite {
  return write.write === 'claimCopy' || write.write === 'claimDelivery';
}

/** Documents the write touches; the letter keeps collections apart. */
function idsOf(write: Write): string[] {
  switch (write.write) {
    case 'insertMessage':
    case 'insertEcho':
      return [`m${write.message.id}`];
    case 'claimCopy':
    case 'recordAccepted':
    case 'recordDeferred':
    case 'recordUnknown':
    case 'recordFailed':
    case 'recordStatus':
      return [`m${write.messageId}`];
    case 'insertDelivery':
      return [`d${write.delivery.id}`];
    case 'claimDelivery':
    case 'recordAttempt':
      return [`d${write.deliveryId}`];
    case 'keepUnmatched':
      return [`h${write.unmatched.id}`];
    case 'dropUnmatched':
      return write.unmatchedIds.map((id) => `h${id}`);
    case 'addMail':
      return [`o${write.mail.id}`];
    default:
      return write satisfies never;
  }
}
