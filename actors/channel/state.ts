/**
 * What a channel remembers: one slice for each room, and the few fields they share. A slice that remembers nothing is given up at the
 * end of a turn (`turns/at-rest.ts`), and is there again when a turn asks for it: most live channels are quiet, and slices with
 * nothing in them are half of what one costs. [performance §2.5]
 */
import { kindOf } from '../../src/domain/channels/kinds.ts';
import { newDeliveries, nothingKept, reopenDeliveries } from './deliveries/state.ts';
import type { DeliveriesState } from './deliveries/state.ts';
import { newFacts, reopenUnmatched } from './facts/state.ts';
import type { FactsState } from './facts/state.ts';
import { takeBacklog } from './inbound/backlog.ts';
import { newInbound } from './inbound/state.ts';
import type { InboundState } from './inbound/state.ts';
import { limits, findLimit } from './limits.ts';
import type { ChannelRules, NodeFull } from './limits.ts';
import type { ChannelSettings, InboundPage, PendingDelivery, UnmatchedFact } from './ports/store.ts';
import { newSends, reopenSends } from './sends/state.ts';
import type { SendsState } from './sends/state.ts';
import type { OpenedMessage } from './ports/store.ts';

type Kept = Pick<ChannelState, 'channelId' | 'epoch' | 'rules' | 'settings'>;

export class ChannelState {
  readonly channelId: string;
  readonly epoch: number;
  readonly rules: ChannelRules;
  settings: ChannelSettings | null;
  kept = nothingKept;
  /** Loads asked for, and the youngest that was answered. */
  settingsAsked = 0;
  settingsSeen = 0;
  draining = false;
  /** The soonest time anything can be due; recomputed by the alarm turn, lowered by every other. */
  wakeAt = 0; // whatever was left behind is looked at at once
  /** When to look again for what an earlier owner has written late, and how often that was done. */
  recheckAt: number;
  rechecks = 0;
  #sends: SendsState | null = null;
  #facts: FactsState | null = null;
  #inbound: InboundState | null = null;
  #deliveries: DeliveriesState | null = null;
  /** No two jobs of an activation have one number. */
  #nextJob = 1;
  /** The bounds of the node, as data: the same object for all its channels; it changes between turns only. */
  readonly nodeFull: NodeFull;

  constructor({ channelId, epoch, rules, settings }: Kept, nodeFull: NodeFull, now: number) {
    this.nodeFull = nodeFull;
    this.channelId = channelId;
    this.epoch = epoch;
    this.rules = rules;
    this.settings = settings;
    this.recheckAt = epoch === 1 ? Infinity : now + limits.recheckMs; // the first owner has none before it
  }

  /** `base`: what the store holds now. */
  keepFrom(base: number): void {
    if (base !== this.kept.base) this.kept = { ...this.kept, base };
  }

  get sends(): SendsState {
    return (this.#sends ??= newSends());
  }

  get facts(): FactsState {
    return (this.#facts ??= newFacts(this.#nextJob));
  }

  get inbound(): InboundState {
    return (this.#inbound ??= newInbound(this.nodeFull));
  }

  get deliveries(): DeliveriesState {
    return (this.#deliveries ??= newDeliveries());
  }

  /** The slices as they are; reading one creates none. null: the room has no state. */
  get sendsAtWork(): SendsState | null {
    return this.#sends;
  }

  get factsAtWork(): FactsState | null {
    return this.#facts;
  }

  get inboundAtWork(): InboundState | null {
    return this.#inbound;
  }

  get deliveriesAtWork(): DeliveriesState | null {
    return this.#deliveries;
  }

  giveUpSends(): void {
    this.#sends = null;
  }

  giveUpFacts(): void {
    if (this.#facts !== null) this.#nextJob = this.#facts.nextJob;
    this.#facts = null;
  }

  giveUpInbound(): void {
    this.#inbound = null;
  }

  giveUpDeliveries(): void {
    this.#deliveries = null;
  }
}

/** What the store holds of a channel, opened. */
interface Loaded {
  open: readonly OpenedMessage[];
  unmatched: readonly UnmatchedFact[];
  inbound: InboundPage;
  nodeFull: NodeFull;
  deliveries: readonly PendingDelivery[];
  storeHasMoreDeliveries: boolean;
}

export function newState(kept: Kept, loaded: Loaded, now: number): ChannelState {
  const state = new ChannelState(kept, loaded.nodeFull, now);
  const { settings } = kept;
  reopenSends(
    state.sends,
    loaded.open,
    settings === null ? null : kindOf(settings.channel.channelType).pairPace,
  );
  // The newest come last.
  reopenUnmatched(state.facts, loaded.unmatched.slice(-findLimit('unmatched', loaded.nodeFull)));
  takeBacklog(state.inbound, loaded.inbound, now);
  reopenUnmatched(state.facts, loaded.inbound.echoes);
  reopenDeliveries(state.deliveries, loaded.deliveries, loaded.storeHasMoreDeliveries);
  return state;
}

/** Makes sure the alarm rings no later than `at`. */
export function wakeBy(state: ChannelState, at: number): void {
  if (at < state.wakeAt) state.wakeAt = at;
}
