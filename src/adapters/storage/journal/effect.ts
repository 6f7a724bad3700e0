/** What a write of a channel's owner does to what is kept, said once: each engine carries it out. */
import type { MailLine, SealedUnmatchedFact, Write } from '../../../../actors/channel/ports/writes.ts';
import type { OutboundMessage } from '../../../domain/messages/message.ts';
import type { Delivery } from '../../../domain/webhooks/delivery.ts';
import type { Change } from '../records.ts';

/** What becomes of one item. In `set`, null ends a value; where something ends for good, it must not come back by a late write. */
export type Rule<T> = Condition<T> & Change<T> & More<T> & (WithKept<T> | WithEntries<T>);

interface Condition<T> {
  /** Nothing happens to an item unless each of these fields has one of these values, */
  readonly when?: {
    readonly [K in keyof T as T[K] extends string | number | null ? K : never]?: readonly NonNullable<T[K]>[];
  };
  /** and none of these is higher. */
  readonly atMost?: { readonly [K in keyof T]?: number };
}

interface More<T> {
  /** As `max`; no reason to write an item that changes in nothing else. */
  readonly beside?: { readonly [K in keyof T]?: number };
  /** Becomes the last of the list, unless it is in it; null: nothing does. */
  readonly join?: { readonly [K in keyof T as T[K] extends string[] ? K : never]?: string | null };
}

interface WithKept<T> {
  /** A field that has this value keeps it, whatever is set. */
  readonly keep: { readonly [K in keyof T]?: T[K] };
  readonly add?: undefined;
  readonly entries?: undefined;
}

interface WithEntries<T> {
  readonly keep?: undefined;
  /** Of a map's entries, members to be set: the others stay, entries and members. */
  readonly entries?: { readonly [K in keyof T]?: Readonly<Record<string, object>> };
}

type Some<V> = Readonly<Record<string, V | undefined>>;

/** A rule, for who carries it out whatever it is about. */
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

/** What of an item a rule can name: an engine looks at nothing else. */
export const ruledFields = {
  messages: [
    'state', 'rank', 'deliveryFailed', 'copies', 'tries', 'attemptedAt', 'statusAt', 'sentAt', 'deliveredAt', 'readAt',
    'failedAt', 'nextTryAt', 'upstreamIds', 'error', 'errorCode', 'calls', 'epoch', 'content',
  ],
  deliveries: [
    'state', 'attempts', 'claims', 'firstTriedAt', 'nextDueAt', 'lastResult', 'attemptLog', 'keptSince', 'keptBytes',
    'epoch', 'payload',
  ],
} as const satisfies { messages: (keyof OutboundMessage)[]; deliveries: (keyof Delivery)[] }; // oxfmt-ignore

export type RuledMessage = Pick<OutboundMessage, (typeof ruledFields.messages)[number]>;
type RuledDelivery = Pick<Delivery, (typeof ruledFields.deliveries)[number]>;

interface Ruling<N, T> {
  readonly to: N;
  readonly id: string;
  readonly rule: Rule<T>;
}

/** Intent: it stores the epoch, and misses where a higher one is stored. */
type ClaimOf<N, T> = { readonly does: 'claim' } & Ruling<N, T>;

/** Fact. `untilNextClaim`: true so long only; any other may be said again at any later time. */
type UpdateOf<N, T> = { readonly does: 'update'; readonly untilNextClaim?: true } & Ruling<N, T>;

/** Where no document has the id. */
type InsertOf<N, T> = { readonly does: 'insert'; readonly to: N; readonly item: T; readonly isIntent?: true };

export type Claim = ClaimOf<'messages', RuledMessage> | ClaimOf<'deliveries', RuledDelivery>;

/** Intents are compare-and-set under the fence and may not apply; facts are monotonic and always do. [architecture §4] */
export type Effect =
  | InsertOf<'messages', OutboundMessage>
  | InsertOf<'deliveries', Delivery>
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

/** By the name of a write, what it does. */
export type Effects<W extends Write['write']> = { readonly [K in W]: (write: Of<K>) => Effect };
