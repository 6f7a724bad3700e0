/** Effects of the writes of a channel's owner on stored items, defined once; each engine carries them out. */
import type { MailLine, SealedUnmatchedFact, Write } from './writes.ts';
import type { OutboundMessage } from '../../rules/messages/message.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { FencedError } from '../../kernel/faults.ts';
import type { Change } from '../records.ts';

/** The change of one item. In `set`, null clears a value; what a rule clears for good, no late write may set again. */
export type Rule<T> = Condition<T> & Change<T> & More<T> & (WithKept<T> | WithEntries<T>);

interface Condition<T> {
  /** The rule applies only if each of these fields has one of the listed values, */
  readonly when?: {
    readonly [K in keyof T as T[K] extends string | number | null ? K : never]?: readonly NonNullable<T[K]>[];
  };
  /** and none of these fields is higher than its value. */
  readonly atMost?: { readonly [K in keyof T]?: number };
}

interface More<T> {
  /** As `max`, but no reason to write an item that is otherwise unchanged. */
  readonly beside?: { readonly [K in keyof T]?: number };
  /** Appends to the list, unless the value is in it; null appends nothing. */
  readonly join?: { readonly [K in keyof T as T[K] extends string[] ? K : never]?: string | null };
}

interface WithKept<T> {
  /** A field that has this value keeps it, whatever `set` says. */
  readonly keep: { readonly [K in keyof T]?: T[K] };
  readonly add?: undefined;
  readonly entries?: undefined;
}

interface WithEntries<T> {
  readonly keep?: undefined;
  /** Entries of a map, each with the members to set; other entries and members stay. */
  readonly entries?: { readonly [K in keyof T]?: Readonly<Record<string, object>> };
}

type Some<V> = Readonly<Record<string, V | undefined>>;

/** A rule of any type, for the engines. */
export interface AnyRule {
  readonly when?: Some<readonly (string | number)[]>;
  readonly atMost?: Some<number>;
  readonly set?: Some<unknown>;
  readonly max?: Some<number>;
  readonly min?: Some<number>;
  readonly add?: Some<number>;
  readonly beside?: Some<number>;
  readonly join?: Some<string | null>;
  readonly keep?: Some<unknown>;
  readonly entries?: Some<Readonly<Record<string, object>>>;
}

/** The fields that a rule can name. */
export type RuledMessage = Pick<
  OutboundMessage,
  | 'state'
  | 'rank'
  | 'deliveryFailed'
  | 'copies'
  | 'tries'
  | 'attemptedAt'
  | 'statusAt'
  | 'sentAt'
  | 'deliveredAt'
  | 'readAt'
  | 'failedAt'
  | 'nextTryAt'
  | 'upstreamIds'
  | 'error'
  | 'errorCode'
  | 'calls'
  | 'epoch'
  | 'content'
>;
type RuledDelivery = Pick<
  Delivery,
  | 'state'
  | 'attempts'
  | 'claims'
  | 'firstTriedAt'
  | 'nextDueAt'
  | 'lastResult'
  | 'attemptLog'
  | 'keptSince'
  | 'keptBytes'
  | 'epoch'
  | 'payload'
>;

interface Ruling<N, T> {
  readonly to: N;
  readonly id: string;
  readonly rule: Rule<T>;
}

/** An intent: stores the epoch, and does not apply if a higher one is stored. */
type ClaimOf<N, T> = { readonly does: 'claim' } & Ruling<N, T>;

/**
 * A fact. With `untilNextClaim` it may be repeated until the next claim only, otherwise at any later time. `likely`: the values that the
 * item nearly always has then, also of those from which an index is derived; times in it are null and lists empty. Of what the rule changes
 * it leaves out only what has a value by then: times, and a list that has just what the rule joins.
 * Rules with the same object differ in `min`, `beside` and what they join, and name the same fields there.
 */
type UpdateOf<N, T> = {
  readonly does: 'update';
  readonly untilNextClaim?: true;
  readonly likely?: Partial<OutboundMessage> | undefined;
} & Ruling<N, T>;

/** Applies if no item has the id. */
type InsertOf<N, T> = { readonly does: 'insert'; readonly to: N; readonly item: T; readonly isIntent?: true };

/** `isCopy`: it is another owner's. */
type InsertDelivery = InsertOf<'deliveries', Delivery> & { readonly isCopy?: true };

export type Claim = ClaimOf<'messages', RuledMessage> | ClaimOf<'deliveries', RuledDelivery>;

/** Intents are compare-and-set under the fence and may not apply; facts are monotonic and always apply. [architecture §4] */
export type Effect =
  | InsertOf<'messages', OutboundMessage>
  | InsertDelivery
  | Claim
  | UpdateOf<'messages', RuledMessage>
  | UpdateOf<'deliveries', RuledDelivery>
  | { readonly does: 'keep'; readonly unmatched: SealedUnmatchedFact }
  | { readonly does: 'drop'; readonly unmatchedIds: readonly string[] }
  | { readonly does: 'mail'; readonly mail: MailLine };

export function isClaim(effect: Effect): effect is Claim {
  return effect.does === 'claim';
}

export function isIntent(effect: Effect): boolean {
  return isClaim(effect) || (effect.does === 'insert' && effect.isIntent === true);
}

type Of<W extends Write['write']> = Extract<Write, { write: W }>;

/** The effect of each write, by the write's name. */
export type Effects<W extends Write['write']> = { readonly [K in W]: (write: Of<K>) => Effect };

/** The error for an owner below the highest stored or minted epoch: another node owns the channel. */
export function fenced(channelId: string, epoch: number): FencedError {
  return new FencedError(`channel ${channelId}: epoch ${epoch} is not the highest`);
}
