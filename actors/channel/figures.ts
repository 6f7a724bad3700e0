/** What operators see of a channel, summed up over those of a node. */
import type { Figures } from '../../src/kernel/metrics.ts';
import { limits } from './limits.ts';
import type { ChannelState } from './state.ts';

export function figuresOf(state: ChannelState, now: number): Figures {
  const { sendsAtWork: sends, deliveriesAtWork: deliveries, factsAtWork: facts } = state;
  return {
    sends_open: sends?.open.size ?? 0,
    sends_waiting: sends === null ? 0 : waitingOf(sends),
    channels_paused: Number(sends !== null && sends.pausedUntil > now),
    deliveries_pending: deliveries?.open.size ?? 0,
    receivers_failing: Number(deliveries !== null && deliveries.failures >= limits.failing),
    facts_waiting: facts?.unmatched.size ?? 0,
    inbound_waiting: facts?.inbound.size ?? 0,
  };
}

/** Nobody has claimed them yet. */
export function waitingOf({ open }: ChannelState['sends']): number {
  let waiting = 0;
  for (const { stage } of open.values()) if (stage === 'waiting') waiting += 1;
  return waiting;
}
