/** Effects of the journal as statements. Those on items of a channel name it, so that a foreign id has no effect. */
import type { Document } from 'mongodb';
import type { SealedUnmatchedFact, MailLine } from '../journal/writes.ts';
import { maxMailLines } from '../../rules/mails/letter.ts';
import type { AnyRule, Claim as JournalClaim, Effect } from '../journal/rule.ts';
import { newToken } from './commands.ts';
import type { Claim, NewDocument, Update } from './commands.ts';
import { items } from './documents.ts';
import { listSteps } from './changes.ts';
import type { AnyItems, More } from './changes.ts';
import { RuledUpdate } from './ruled-updates.ts';

type Insert = Extract<Effect, { does: 'insert' }>;
type Ruling = JournalClaim | Extract<Effect, { does: 'update' }>;

let arrivals = 0;

/** `more`: members beside those of the item. */
export function makeInsert(channelId: string, epoch: number, insert: Insert, more: More): NewDocument {
  const own = { channelId, epoch, ...more, token: newToken() };
  if (insert.to === 'messages')
    return Object.assign(items.messages.toDocument(insert.item), nextArrival(epoch), own);
  const of =
    insert.isCopy === true ? { ...own, channelId: insert.item.channelId, epoch: insert.item.epoch } : own;
  return Object.assign(items.deliveries.toDocument(insert.item), of);
}

/** Order of arrival, independent of clocks: within one epoch there is one process. [architecture §5, Order] */
function nextArrival(firstEpoch: number): { firstEpoch: number; arrival: number } {
  arrivals += 1;
  return { firstEpoch, arrival: arrivals };
}

export function makeClaim(channelId: string, epoch: number, claim: JournalClaim): Claim {
  const token = newToken();
  const { id, q, u } = makeUpdate(channelId, claim, { epoch, token });
  return { id, channelId, token, q: { ...q, epoch: { $lte: epoch } }, u };
}

export function makeUpdate(channelId: string, { to, id, rule }: Ruling, more: More = {}): RuledUpdate {
  const kept: AnyItems = items[to];
  return new RuledUpdate(id, channelId, writeConditions(kept, rule), listSteps(kept, rule, more));
}

function writeConditions(kept: AnyItems, { when = {}, atMost = {} }: AnyRule): Document {
  const q: Document = {};
  for (const [field, values = []] of Object.entries(when))
    q[kept.memberName(field)] = values.length === 1 ? values[0] : { $in: values };
  for (const [field, value] of Object.entries(atMost)) q[kept.memberName(field)] = { $lte: value };
  return q;
}

export function unmatchedId(channelId: string, id: string): string {
  return items.unmatchedFacts.idIn({ channelId, id }) ?? '';
}

/** Replaces the fact with the same id. */
export function keepUnmatched(channelId: string, unmatched: SealedUnmatchedFact): Update {
  const { _id, ...u } = items.unmatchedFacts.toDocument({ ...unmatched, channelId });
  return { id: _id, q: { _id }, u, upsert: true };
}

/**
 * A repeated write finds its line's token: its filter matches nothing, its upsert meets a duplicate key, and it counts as done. A line that
 * was left out leaves no token, so a repetition after a lost reply counts it twice.
 */
export function mailLine({ id, line, ...mail }: MailLine): Update {
  const token = newToken();
  return {
    id,
    q: { _id: id, 'lines.token': { $ne: token } },
    u: {
      $push: { lines: { $each: [{ token, line }], $slice: maxMailLines } },
      $inc: { told: 1 },
      $setOnInsert: { ...mail, gathersUntil: mail.sendAfter, unsent: true },
    },
    upsert: true,
    whenTaken: 'done',
  };
}
