/**
 * What a channel remembers: one slice per folder, and a few shared fields. An empty slice is dropped at the end of a turn
 * (`turns/idle.ts`) and created again on first use: most live channels are quiet, and empty slices are half of the cost of a channel.
 * [performance §2.5]
 */
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { isOfEndpoint } from '../../src/rules/webhooks/endpoints.ts';
import { newDeliveries, nothingKept, reopenDeliveries } from './deliveries/state.ts';
import type { DeliveriesState } from './deliveries/state.ts';
import { newFacts, reopenUnmatched } from './facts/state.ts';
import type { FactsState } from './facts/state.ts';
import { takeBacklog } from './inbound/backlog.ts';
import { newInbound } from './inbound/state.ts';
import type { InboundState } from './inbound/state.ts';
import { limits, findLimit } from './limits.ts';
import type { ChannelRules, NodeFull } from './limits.ts';
import type { PersonNames } from './person-names.ts';
import type {
  ChannelSettings,
  InboundPage,
  PendingDelivery,
  UnmatchedFact,
  OpenedMessage,
} from '../../src/storage/journal/channel-journal.ts';
import { reopenSends } from './sends/reopened.ts';
import { newSends } from './sends/state.ts';
import type { SendsState } from './sends/state.ts';

type Kept = Pick<ChannelState, 'channelId' | 'epoch' | 'rules' | 'settings'>;

export class ChannelState {
  readonly channelId: string;
  readonly epoch: number;
  readonly rules: ChannelRules;
  settings: ChannelSettings | null;
  kept = nothingKept;
  /** Number of loads of the settings that were requested, and the newest of them that was applied. */
  settingsAsked = 0;
  settingsSeen = 0;
  draining = false;
  /** The earliest time anything can be due; recomputed by the alarm turn, only lowered by every other turn. */
  wakeAt = 0; // at once, for what an earlier owner left
  /** When to read the store again for late writes of an earlier owner, and how often that was done. */
  recheckAt: number;
  rechecks = 0;
  #sends: SendsState | null = null;
  #facts: FactsState | null = null;
  #inbound: InboundState | null = null;
  #deliveries: DeliveriesState | null = null;
  /** Unique among the jobs of an activation. */
  #nextJob = 1;
  /** Which bounds of the node are reached: one object for all its channels, which changes between turns only. */
  readonly nodeFull: NodeFull;
  /** One object for all channels of the node. */
  readonly names: PersonNames;

  constructor({ channelId, epoch, rules, settings }: Kept, { nodeFull, names }: OfNode, now: number) {
    this.nodeFull = nodeFull;
    this.names = names;
    this.channelId = channelId;
    this.epoch = epoch;
    this.rules = rules;
    this.settings = settings;
    this.recheckAt = epoch === 1 ? Infinity : now + limits.recheckMs; // the first owner has no earlier owner
  }

  /** `base`: bytes of kept deliveries in the store now. */
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

  /** The slices as they are, without creating one; null: the slice is empty. */
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

  dropSends(): void {
    this.#sends = null;
  }

  dropFacts(): void {
    if (this.#facts !== null) this.#nextJob = this.#facts.nextJob;
    this.#facts = null;
  }

  dropInbound(): void {
    this.#inbound = null;
  }

  dropDeliveries(): void {
    this.#deliveries = null;
  }
}

/** What the channels of a node share. */
interface OfNode {
  nodeFull: NodeFull;
  names: PersonNames;
}

/** The stored state of a channel, decrypted. */
interface Loaded extends OfNode {
  open: readonly OpenedMessage[];
  unmatched: readonly UnmatchedFact[];
  inbound: InboundPage;
  deliveries: readonly PendingDelivery[];
  storeHasMoreDeliveries: boolean;
}

export function newState(kept: Kept, loaded: Loaded, now: number): ChannelState {
  const state = new ChannelState(kept, loaded, now);
  const { settings } = kept;
  reopenSends(
    state.sends,
    loaded.open,
    settings === null ? null : kindOf(settings.channel.channelType).pairPace,
    now,
  );
  // Keeps the newest facts, which come last.
  reopenUnmatched(state.facts, loaded.unmatched.slice(-findLimit('unmatched', loaded.nodeFull)));
  takeBacklog(state.inbound, loaded.inbound, now);
  reopenUnmatched(state.facts, loaded.inbound.echoes);
  const of = {
    isOrdered: settings?.channel.ordered === true,
    isOfEndpoint: isOfEndpoint(kept.channelId),
  };
  reopenDeliveries(state.deliveries, loaded.deliveries, loaded.storeHasMoreDeliveries, of);
  return state;
}

/** Makes the alarm ring no later than `at`. */
export function wakeBy(state: ChannelState, at: number): void {
  if (at < state.wakeAt) state.wakeAt = at;
}
