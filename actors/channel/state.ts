/** What a channel remembers: one slice for each room, and the few fields they share. */
import { kindOf } from '../../src/domain/channels/kinds.ts';
import { newDeliveries } from './deliveries/state.ts';
import type { DeliveriesState } from './deliveries/state.ts';
import { takeBacklog } from './facts/backlog.ts';
import { newFacts } from './facts/state.ts';
import type { FactsState } from './facts/state.ts';
import type { ChannelRules } from './limits.ts';
import type { ChannelSettings, InboundPage, PendingDelivery, UnmatchedFact } from './ports.ts';
import { newSends } from './sends/state.ts';
import type { OpenedMessage, SendsState } from './sends/state.ts';

export interface ChannelState {
  channelId: string;
  epoch: number;
  rules: ChannelRules;
  settings: ChannelSettings | null;
  /** Loads asked for, and the youngest that was answered. */
  settingsAsked: number;
  settingsSeen: number;
  sends: SendsState;
  facts: FactsState;
  deliveries: DeliveriesState;
  draining: boolean;
  /** The soonest time anything can be due; recomputed by the alarm turn, lowered by every other. */
  wakeAt: number;
}

/** What the store holds of a channel, opened. */
export interface Loaded {
  open: readonly OpenedMessage[];
  unmatched: readonly UnmatchedFact[];
  inbound: InboundPage;
  /** The channels of this node remember as many pending messages as they may. */
  isNodeFull: boolean;
  deliveries: readonly PendingDelivery[];
  storeHasMoreDeliveries: boolean;
}

export function newState(
  { channelId, epoch, rules, settings }: Pick<ChannelState, 'channelId' | 'epoch' | 'rules' | 'settings'>,
  loaded: Loaded,
  now: number,
): ChannelState {
  const facts = newFacts(loaded.unmatched, loaded.isNodeFull);
  takeBacklog(facts, loaded.inbound, now);
  const pairPace = settings === null ? null : kindOf(settings.channel.channelType).pairPace;
  return {
    channelId,
    epoch,
    rules,
    settings,
    settingsAsked: 0,
    settingsSeen: 0,
    sends: newSends(loaded.open, { epoch, pairPace }, now),
    facts,
    deliveries: newDeliveries(loaded.deliveries, loaded.storeHasMoreDeliveries),
    draining: false,
    wakeAt: 0, // whatever was left behind is looked at at once
  };
}

/** Makes sure the alarm rings no later than `at`. */
export function wakeBy(state: ChannelState, at: number): void {
  if (at < state.wakeAt) state.wakeAt = at;
}
