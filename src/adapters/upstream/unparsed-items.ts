/** Items of a POST that yield no fact: counted, and their shape kept if the kind of item is unknown. [upstream §0.2; faults: 46] */
import type { UnparsedItem, ParsedPost } from '../../domain/messages/facts.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import { describeShape } from './shape.ts';

/** Limit per POST: a batch of a thousand bad items says no more than its first ones. */
const maxKept = 20;

export interface ItemOrigin {
  channelType: ChannelType | null;
  /** null: the item names no channel. */
  identity: string | null;
  /** Upstream's name of the place: a field, a member or a type. */
  kind: string;
}

/** Counts an understood item that is no event by the contract. */
export function countIgnored(out: ParsedPost, times = 1): void {
  out.ignored += times;
}

/** Counts a well-formed item of an unknown kind. */
export function keepUnknown(out: ParsedPost, place: ItemOrigin, item: unknown, times = 1): void {
  out.ignored += times;
  keep(out, { reason: 'unknown', ...place, times }, item);
}

/** Counts an item that lacks a required field of its kind. */
export function keepMalformed(out: ParsedPost, place: ItemOrigin, item: unknown, times = 1): void {
  out.malformed += times;
  keep(out, { reason: 'malformed', ...place, times }, item);
}

function keep(out: ParsedPost, what: Omit<UnparsedItem, 'shape'>, item: unknown): void {
  if (out.unparsed.length >= maxKept) return;
  out.unparsed.push({ ...what, kind: what.kind.slice(0, 100), shape: describeShape(item) });
}
