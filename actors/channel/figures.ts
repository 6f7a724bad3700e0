/** What operators see of a channel, summed up over those of a node. */
import type { Figures } from '../../src/kernel/metrics.ts';
import { limits } from './limits.ts';
import type { ChannelState } from './state.ts';

export function figuresOf({ sends, deliveries, facts }: ChannelState, now: number): Figures {
  return {
    sends_open: sends.open.size,
    sends_waiting: waitingOf(sends),
    channels_paused: Number(sends.pausedUntil > now),
    deliveries_pending: deliveries.open.size,
    receivers_failing: Number(deliveries.failures >= limits.failing),
    facts_waiting: facts.unmatched.size,
    inbound_waiting: facts.inbound.size,
  };
}

/** Nobody has claimed them yet. */
export function waitingOf({ open }: ChannelState['sends']): number {
  let waiting = 0;
  for (const { stage } of open.values()) if (stage === 'waiting') waiting += 1;
  return waiting;
}
