/** The state between turns: is the channel at work, its figures for operators, and which slices it can drop. */
import type { Figures } from '../../../src/kernel/metrics.ts';
import type { DeliveriesState } from '../deliveries/state.ts';
import type { FactsState } from '../facts/state.ts';
import type { InboundState } from '../inbound/state.ts';
import { limits } from '../limits.ts';
import { isPaced } from '../sends/pace.ts';
import type { SendsState } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';

/** Figures of one channel for operators, who see the sums of a node. */
export function countFigures(state: ChannelState, now: number): Figures {
  const { sendsAtWork: sends, deliveriesAtWork: deliveries, factsAtWork: facts } = state;
  return {
    sends_open: sends?.open.size ?? 0,
    sends_waiting: sends === null ? 0 : countWaiting(sends),
    sends_oldest_open_seconds: sends === null ? 0 : oldestSend(sends, now),
    channels_paused: Number(sends !== null && sends.pausedUntil > now),
    deliveries_pending: deliveries?.open.size ?? 0,
    deliveries_oldest_pending_seconds: deliveries === null ? 0 : oldestSeconds(deliveries, now),
    deliveries_kept_bytes: state.kept.base + state.kept.decided,
    receivers_failing: Number(deliveries !== null && deliveries.failures >= limits.failing),
    facts_waiting: facts?.unmatched.size ?? 0,
    inbound_waiting: state.inboundAtWork?.open.size ?? 0,
  };
}

/** Age of the oldest remembered delivery, in seconds. */
function oldestSeconds({ open }: DeliveriesState, now: number): number {
  let first = now;
  for (const { since } of open.values()) first = Math.min(first, since);
  return (now - first) / 1_000;
}

function oldestSend({ open }: SendsState, now: number): number {
  let first = now;
  for (const { arrivedAt } of open.values()) first = Math.min(first, arrivedAt);
  return (now - first) / 1_000;
}

/** Sends that are not claimed yet. */
export function countWaiting({ open }: ChannelState['sends']): number {
  let waiting = 0;
  for (const { stage } of open.values()) if (stage === 'waiting') waiting += 1;
  return waiting;
}

/** End of a turn: drops each slice that equals a new one. */
export function dropIdleSlices(state: ChannelState, now: number): void {
  const { sendsAtWork: sends, factsAtWork: facts } = state;
  const { inboundAtWork: inbound, deliveriesAtWork: deliveries } = state;
  if (sends !== null && remembersNothing(sends, now)) state.dropSends();
  if (facts !== null && holdsNothing(facts)) state.dropFacts();
  if (inbound !== null && awaitsNothing(inbound, now)) state.dropInbound();
  if (deliveries !== null && hasNoDeliveries(deliveries) && gathersNoAlerts(state, deliveries, now))
    state.dropDeliveries();
}

/** No call, POST or batch of facts is in flight. */
export function isQuiet({ sendsAtWork: sends, factsAtWork: facts, deliveriesAtWork }: ChannelState): boolean {
  return (sends?.calls ?? 0) + (deliveriesAtWork?.posts ?? 0) + (facts?.jobs.size ?? 0) === 0;
}

/** The store holds everything that is remembered here. */
export function isIdle(state: ChannelState, now: number): boolean {
  const { sendsAtWork: sends, factsAtWork: facts } = state;
  const { inboundAtWork: inbound, deliveriesAtWork: deliveries } = state;
  return (
    (sends === null || (sends.open.size + sends.calls === 0 && sends.pausedUntil <= now)) &&
    (facts === null || facts.jobs.size + facts.unmatched.size === 0) &&
    (inbound === null || isAllEmitted(inbound)) &&
    (deliveries === null ||
      (deliveries.open.size === 0 &&
        !deliveries.storeHasMore &&
        deliveries.replay === null &&
        gathersNoAlerts(state, deliveries, now)))
  );
}

/** What is given up in the interval of an alert is a line of the next one: whoever forgets the alert would send another at once. */
function gathersNoAlerts(
  { rules }: Pick<ChannelState, 'rules'>,
  { alertAt }: DeliveriesState,
  now: number,
): boolean {
  return alertAt === null || now >= alertAt + rules.digestIntervalMs;
}

function isAllEmitted({ open, backlog }: InboundState): boolean {
  return open.size === 0 && !backlog.storeHasMore && !backlog.loading;
}

function remembersNothing(sends: SendsState, now: number): boolean {
  return (
    sends.open.size + sends.queues.size + sends.pairs.size + sends.calls + sends.emptied.length === 0 &&
    Math.max(sends.pausedUntil, sends.nextCallAt, sends.spentUntil) <= now &&
    Math.max(sends.nextAudioVideoAt, sends.audioVideoSpentUntil) <= now &&
    !isPaced(sends, now) &&
    !sends.waitingForSlot &&
    sends.mailedToken === null &&
    sends.endedDuringReload === null
  );
}

function holdsNothing(facts: FactsState): boolean {
  const { jobs, unmatched, gathered, held, toRematch, learnedNow, learnedLately, statusTimes } = facts;
  return (
    jobs.size + unmatched.size + statusTimes.size + learnedLately.size === 0 &&
    gathered.length + held.length + toRematch.length + learnedNow.length === 0 &&
    facts.gatheringBehind === null &&
    facts.question === null
  );
}

function awaitsNothing(inbound: InboundState, now: number): boolean {
  return (
    isAllEmitted(inbound) && inbound.fetches.length === 0 && inbound.backlog.lastDueAt < now // then a new slice assigns later times, too
  );
}

function hasNoDeliveries(deliveries: DeliveriesState): boolean {
  const { open, ready, posts, failures, failingSince, storeHasMore, loading, replay } = deliveries;
  const hasNone = open.size + ready.length + posts + failures === 0;
  return hasNone && failingSince === null && !storeHasMore && !loading && replay === null;
}
