/**
 * A commit's writes, sorted by the step they belong to. The steps follow one another, so that a crash between two leaves what
 * a redelivery or a reload puts right: mails, unmatched facts and deliveries come before what makes them look done, an unmatched fact is
 * dropped when what it said is written. [architecture §2.1, persist before act]
 */
import type { Write } from '../../../../actors/channel/ports/writes.ts';
import { isClaim, isIntent } from '../journal/effect.ts';
import type { Effect } from '../journal/effect.ts';
import { toEffect } from '../journal/index.ts';
import type { Claim, NewDocument, Update } from './commands.ts';
import type { PendingUpdate } from './documents.ts';
import { pendingUpdatesByDelivery } from './pending-updates.ts';
import { mailLine } from './writes/mails.ts';
import { keepUnmatched, makeClaim, makeInsert, makeUpdate, unmatchedId } from './writes/rules.ts';

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
  const effects = writes.map(toEffect);
  if (effects.length > 1 && !canBeSorted(effects)) return null;
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
      const { inserts, insertAt } = plan[effect.to];
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
      return;
    default:
      effect satisfies never;
  }
}

/** A delivery carries facts from its insert until they are on their messages; what is done to it meanwhile leaves them. */
function membersBeside(
  { pendingUpdates, isCarrying }: About,
  effect: Extract<Effect, { does: 'insert' | 'update' }>,
): Readonly<Record<string, unknown>> {
  if (effect.to === 'messages') return {};
  if (effect.does === 'update') return isCarrying(effect.id) ? {} : { owes: null };
  const updates = pendingUpdates.get(effect.item.id);
  return updates === undefined ? {} : { owes: updates };
}

/** A document may be written twice by updates only; a claim stands alone among intents, because one that is fenced stops all. */
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

/** Documents it touches, each with its collection. */
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
