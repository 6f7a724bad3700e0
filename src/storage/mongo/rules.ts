/** Effects of the journal as statements. Those on items of a channel name it, so that a foreign id has no effect. */
import type { Document } from 'mongodb';
import type { SealedUnmatchedFact, MailLine } from '../journal/writes.ts';
import { maxMailLines } from '../../rules/mails/letter.ts';
import type { AnyRule, Claim as JournalClaim, Effect } from '../journal/rule.ts';
import { newToken } from './commands.ts';
import type { Claim, NewDocument, Update } from './commands.ts';
import { items } from './documents.ts';
import type { Items } from './items.ts';
import { parted, updateBy } from './updates.ts';

type Insert = Extract<Effect, { does: 'insert' }>;
type Ruling = JournalClaim | Extract<Effect, { does: 'update' }>;
type More = Readonly<Record<string, unknown>>;

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

export function makeClaim(channelId: string, epoch: number, { to, id, rule }: JournalClaim): Claim {
  const token = newToken();
  const { q, u } = makeStatement(to, channelId, id, rule, { epoch, token });
  return { id, channelId, token, q: { ...q, epoch: { $lte: epoch } }, u };
}

export function makeUpdate(channelId: string, { to, id, rule }: Ruling, more: More = {}): Update {
  return makeStatement(to, channelId, id, rule, more);
}

function makeStatement(to: Ruling['to'], channelId: string, id: string, rule: AnyRule, more: More): Update {
  const kept: AnyItems = items[to];
  const all = { ...kept.besideFields(rule.set ?? {}), ...more };
  const q = { _id: id, channelId, ...writeConditions(kept, rule) };
  return { id, q, u: rule.keep === undefined ? plainly(kept, rule, all) : asPipeline(kept, rule, all) };
}

type AnyItems = Pick<Items<never>, 'toMembers' | 'memberName' | 'besideFields'>;

function writeConditions(kept: AnyItems, { when = {}, atMost = {} }: AnyRule): Document {
  const q: Document = {};
  for (const [field, values = []] of Object.entries(when))
    q[kept.memberName(field)] = values.length === 1 ? values[0] : { $in: values };
  for (const [field, value] of Object.entries(atMost)) q[kept.memberName(field)] = { $lte: value };
  return q;
}

function plainly(kept: AnyItems, rule: AnyRule, more: More): Document {
  const { set, max, beside, min, add, entries } = rule;
  const update = updateBy(
    kept,
    { set, max: { ...max, ...beside }, min, add },
    { ...more, ...paths(kept, entries) },
  );
  const { given: joining } = parted(kept.toMembers(rule.join ?? {}));
  return Object.keys(joining).length > 0 ? { ...update, $addToSet: joining } : update;
}

function paths(kept: AnyItems, entries: AnyRule['entries'] = {}): More {
  const members: Record<string, unknown> = {};
  for (const [field, map = {}] of Object.entries(entries))
    for (const [name, entry] of Object.entries(map))
      for (const [part, value] of Object.entries(entry))
        members[`${kept.memberName(field)}.${name}.${part}`] = value;
  return members;
}

/** Used where a field depends on another. `$literal`, because a pipeline reads a text that starts with $ as a field name. */
function asPipeline(
  kept: AnyItems,
  { set = {}, keep = {}, max, beside, min = {}, join = {} }: AnyRule,
  more: More,
) {
  const { given, gone } = parted({ ...kept.toMembers(set), ...more });
  const $set: Document = {};
  for (const member in given) $set[member] = { $literal: given[member] };
  for (const [member, $literal] of Object.entries(kept.toMembers(keep)))
    $set[member] = { $cond: [{ $eq: [`$${member}`, { $literal }] }, `$${member}`, $set[member]] };
  for (const [member, value] of Object.entries(kept.toMembers({ ...max, ...beside })))
    $set[member] = { $max: [`$${member}`, value] };
  for (const [member, value] of Object.entries(kept.toMembers(min)))
    $set[member] = { $min: [`$${member}`, value] };
  for (const [member, value] of Object.entries(kept.toMembers(join)))
    if (value !== null) $set[member] = joined(member, { $literal: value });
  return [{ $set }, { $unset: Object.keys(gone) }];
}

/** Appends the value unless it is in the list; `$setUnion` would sort the list. */
function joined(member: string, value: Document): Document {
  const known = { $ifNull: [`$${member}`, []] };
  return { $cond: [{ $in: [value, known] }, known, { $concatArrays: [known, [value]] }] };
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
      $setOnInsert: { ...mail, unsent: true },
    },
    upsert: true,
    whenTaken: 'done',
  };
}
