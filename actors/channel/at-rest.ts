/** Whether a channel works, and which of its slices it can do without until something comes. */
import type { DeliveriesState } from './deliveries/state.ts';
import type { FactsState } from './facts/state.ts';
import { isPaced } from './sends/pace.ts';
import type { SendsState } from './sends/state.ts';
import type { ChannelState } from './state.ts';

/** The end of a turn: a slice goes when a new one would say the same. */
export function rest(state: ChannelState, now: number): void {
  const { sendsAtWork: sends, factsAtWork: facts, deliveriesAtWork: deliveries } = state;
  if (sends !== null && remembersNothing(sends, now)) state.giveUpSends();
  if (facts !== null && holdsNothing(facts, now)) state.giveUpFacts();
  if (deliveries !== null && owesNothing(deliveries)) state.giveUpDeliveries();
}

/** Nothing is in flight. */
export function isQuiet({ sendsAtWork: sends, factsAtWork: facts, deliveriesAtWork }: ChannelState): boolean {
  return (sends?.calls ?? 0) + (deliveriesAtWork?.posts ?? 0) + (facts?.jobs.size ?? 0) === 0;
}

/** Nothing is remembered that the store does not hold. */
export function isIdle(state: ChannelState, now: number): boolean {
  const { sendsAtWork: sends, factsAtWork: facts, deliveriesAtWork: deliveries } = state;
  return (
    (sends === null || (sends.open.size + sends.calls === 0 && sends.pausedUntil <= now)) &&
    (facts === null || isAllTold(facts)) &&
    (deliveries === null || (deliveries.open.size === 0 && !deliveries.storeHasMore))
  );
}

function isAllTold({ jobs, unmatched, inbound, backlog }: FactsState): boolean {
  return jobs.size + unmatched.size + inbound.size === 0 && !backlog.storeHasMore && !backlog.loading;
}

function remembersNothing(sends: SendsState, now: number): boolean {
  return (
    sends.open.size + sends.queues.size + sends.pairs.size + sends.calls + sends.emptied.length === 0 &&
    sends.gapMs === 0 &&
    Math.max(sends.pausedUntil, sends.nextCallAt, sends.spentUntil) <= now &&
    Math.max(sends.nextClipAt, sends.clipsSpentUntil) <= now &&
    !isPaced(sends, now) &&
    !sends.waitingForSlot &&
    sends.toldOfToken === null &&
    sends.endedDuringReload === null
  );
}

function holdsNothing(facts: FactsState, now: number): boolean {
  const { gathered, fetches, toRematch, toMatch, knownUpstreamIds, statusTimes, backlog } = facts;
  return (
    isAllTold(facts) &&
    statusTimes.size + knownUpstreamIds.size === 0 &&
    gathered.length + fetches.length + toRematch.length + toMatch.length === 0 &&
    facts.gatheringBehind === null &&
    backlog.counted === 0 &&
    backlog.lastDueAt < now // what comes next gets a later one of its own
  );
}

function owesNothing(deliveries: DeliveriesState): boolean {
  const { open, ready, posts, failures, failingSince, storeHasMore, loading } = deliveries;
  return (
    open.size + ready.length + posts + failures === 0 && failingSince === null && !storeHasMore && !loading
  );
}
