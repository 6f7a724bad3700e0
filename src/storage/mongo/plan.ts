/**
 * Sorts a commit's writes into steps, which run one after the other, so that a redelivery or a reload repairs a crash between two steps:
 * mails, unmatched facts and deliveries are written before whatever makes them look done, and an unmatched fact is dropped after its
 * contents are written. [architecture §2.1, persist before act]
 */
import type { Write } from '../journal/writes.ts';
import { isClaim, isIntent } from '../journal/rule.ts';
import type { Effect } from '../journal/rule.ts';
import { toEffect } from '../journal/effects.ts';
import type { Claim, NewDocument, Update } from './commands.ts';
import type { PendingUpdate } from './documents.ts';
import { pendingUpdatesByDelivery } from './pending-updates.ts';
import { keepUnmatched, makeClaim, makeInsert, makeUpdate, unmatchedId, mailLine } from './rules.ts';

interface Sorted {
  inserts: NewDocument[];
  /** For each insert, the index of its write in the commit; `claimAt` likewise for claims. */
  insertAt: number[];
  claims: Claim[];
  claimAt: number[];
  facts: Update[];
}

export interface Plan {
  mails: Update[];
  /** For each line of a mail, the index of its write in the commit. */
  mailAt: number[];
  unmatched: Update[];
  deliveries: Sorted;
  /** Those of endpoints, which carry nothing: written first, because nobody looks again at an event that its channel has. */
  copies: Pick<Sorted, 'inserts' | 'insertAt'>;
  /** Deliveries that carry the commit's facts until these are on their messages. */
  carriers: string[];
  attempts: Update[];
  messages: Sorted;
  drops: string[];
}

/** Returns null if the steps would reorder writes to one document, or a claim is not the only intent: then the writes go one by one. */
export function makePlan(
  channelId: string,
  epoch: number,
  writes: readonly Write[],
  isCarrying: (deliveryId: string) => boolean,
): Plan | null {
  const effects = writes.map(toEffect);
  if (effects.length > 1 && !canBeSorted(effects)) return null;
  const pendingUpdates = pendingUpdatesByDelivery(writes);
  const about = { channelId, epoch, pendingUpdates, isCarrying };
  const plan: Plan = {
    mails: [],
    mailAt: [],
    unmatched: [],
    deliveries: empty(),
    copies: { inserts: [], insertAt: [] },
    carriers: [...pendingUpdates.keys()],
    attempts: [],
    messages: empty(),
    drops: [],
  };
  effects.forEach((effect, at) => sort(plan, about, effect, at));
  return plan;
}

const empty = (): Sorted => ({ inserts: [], insertAt: [], claims: [], claimAt: [], facts: [] });

interface About {
  channelId: string;
  epoch: number;
  pendingUpdates: ReadonlyMap<string, readonly PendingUpdate[]>;
  isCarrying: (deliveryId: string) => boolean;
}

function sort(plan: Plan, about: About, effect: Effect, at: number): void {
  const { channelId, epoch } = about;
  switch (effect.does) {
    case 'insert': {
      const isCopy = effect.to === 'deliveries' && effect.isCopy === true;
      const { inserts, insertAt } = isCopy ? plan.copies : plan[effect.to];
      inserts.push(makeInsert(channelId, epoch, effect, membersBeside(about, effect)));
      insertAt.push(at);
      return;
    }
    case 'claim': {
      const { claims, claimAt } = plan[effect.to];
      claims.push(makeClaim(channelId, epoch, effect));
      claimAt.push(at);
      return;
    }
    case 'update': {
      const facts = effect.to === 'messages' ? plan.messages.facts : plan.attempts;
      facts.push(makeUpdate(channelId, effect, membersBeside(about, effect)));
      return;
    }
    case 'keep':
      plan.unmatched.push(keepUnmatched(channelId, effect.unmatched));
      return;
    case 'drop':
      plan.drops.push(...effect.unmatchedIds.map((id) => unmatchedId(channelId, id)));
      return;
    case 'mail':
      plan.mails.push(mailLine(effect.mail));
      plan.mailAt.push(at);
      return;
    default:
      effect satisfies never;
  }
}

/** A delivery carries facts from its insert until they are on their messages; updates in between keep them. */
function membersBeside(
  { pendingUpdates, isCarrying }: About,
  effect: Extract<Effect, { does: 'insert' | 'update' }>,
): Readonly<Record<string, unknown>> {
  if (effect.to === 'messages') return {};
  if (effect.does === 'update') return isCarrying(effect.id) ? {} : { owes: null };
  const updates = pendingUpdates.get(effect.item.id);
  return updates === undefined ? {} : { owes: updates };
}

/** Only updates may touch a document twice. A claim must be the only intent, because a fenced claim stops all intents. */
function canBeSorted(effects: readonly Effect[]): boolean {
  const intents = effects.filter(isIntent);
  if (intents.length > 1 && intents.some(isClaim)) return false;
  const updated = new Set<string>();
  const alone = new Set<string>();
  for (const effect of effects) {
    const isUpdate = effect.does === 'update' || effect.does === 'mail';
    for (const document of listDocuments(effect)) {
      if (alone.has(document) || (!isUpdate && updated.has(document))) return false;
      (isUpdate ? updated : alone).add(document);
    }
  }
  return true;
}

/** The documents that an effect touches, each with its collection. */
function listDocuments(effect: Effect): string[] {
  switch (effect.does) {
    case 'insert':
      return [`${effect.to}:${effect.item.id}`];
    case 'claim':
    case 'update':
      return [`${effect.to}:${effect.id}`];
    case 'keep':
      return [`unmatched:${effect.unmatched.id}`];
    case 'drop':
      return effect.unmatchedIds.map((id) => `unmatched:${id}`);
    case 'mail':
      return [`mails:${effect.mail.id}`];
    default:
      return effect satisfies never;
  }
}
