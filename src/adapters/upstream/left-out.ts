/** Items of a POST that become no fact: counted, and kept by shape where the kind of item is unknown to us. [upstream §0.2; faults: 46] */
import type { LeftOut, ParsedPost } from '../../domain/messages/facts.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import { describeShape } from './shape.ts';

/** Per POST: a batch of a thousand bad items tells no more than its first ones. */
const maxKept = 20;

export interface ItemOrigin {
  channelType: ChannelType | null;
  /** null: it can't be routed. */
  identity: string | null;
  /** Upstream's word for where it stood: a field, a member, a type. */
  kind: string;
}

/** Understood, and no event by contract. */
export function leaveOut(out: ParsedPost, times = 1): void {
  out.ignored += times;
}

/** Whole, but of a kind nobody here has heard of. */
export function leaveUnknown(out: ParsedPost, place: ItemOrigin, item: unknown, times = 1): void {
  out.ignored += times;
  keep(out, { reason: 'unknown', ...place, times }, item);
}

/** The item lacks a field that its kind must have. */
export function leaveMalformed(out: ParsedPost, place: ItemOrigin, item: unknown, times = 1): void {
  out.malformed += times;
  keep(out, { reason: 'malformed', ...place, times }, item);
}

function keep(out: ParsedPost, what: Omit<LeftOut, 'shape'>, item: unknown): void {
  if (out.leftOut.length >= maxKept) return;
  out.leftOut.push({ ...what, kind: what.kind.slice(0, 100), shape: describeShape(item) });
}
