/** Turns that concern every room, and what the end of each turn asks: does the channel work, and which slices can it do without? */
import type { Turn } from '../runtime/actor.ts';
import { takeLoaded } from './deliveries/add.ts';
import { wakeDeliveries } from './deliveries/due.ts';
import { startPosts } from './deliveries/post.ts';
import type { ChannelEffect, EffectResult } from './messages.ts';
import { filesOpen } from './inbound/fetches.ts';
import { tellReady } from './inbound/files.ts';
import { holdForEchoes } from './facts/open-echoes.ts';
import { leaveFiles } from './inbound/tries.ts';
import { adoptKept, expireUnmatched, rematchSome } from './facts/match.ts';
import { wakeSends } from './sends/due.ts';
import { startAll, turnAwayWaiting } from './sends/queue.ts';
import { adoptSends, endReload, takeAnswers } from './sends/reload.ts';
import { wakeBy } from './state.ts';
import type { ChannelState } from './state.ts';
import type { Figures } from '../../src/kernel/metrics.ts';
import { limits } from './limits.ts';
import type { DeliveriesState } from './deliveries/state.ts';
import type { FactsState } from './facts/state.ts';
import type { InboundState } from './inbound/state.ts';
import { isPaced } from './sends/pace.ts';
import type { SendsState } from './sends/state.ts';

type SettingsLoaded = Extract<EffectResult, { type: 'settings-loaded' }>;

const sendsPerMs = 1_000;

/** Something may be due: sends that wait too long, copies, retries, webhooks, unmatched facts. [architecture §5] */
export function onAlarm(state: ChannelState, { now }: Turn): ChannelEffect[] {
  state.wakeAt = Infinity;
  holdForEchoes(state, now);
  const effects = [
    ...wakeSends(state, now),
    ...rematchSome(state, now),
    ...expireUnmatched(state, now),
    ...tellReady(state, now),
    ...wakeDeliveries(state, now),
  ];
  // This turn looks at every open send: with thousands of them it rests some ms in between.
  state.wakeAt = Math.max(state.wakeAt, now + Math.floor(state.sends.open.size / sendsPerMs));
  return effects;
}

/** The store was read again: it is right where memory is not certain, and may hold what an earlier owner wrote late. */
export function onReloaded(
  state: ChannelState,
  { messageIds, open, left }: Extract<EffectResult, { type: 'reloaded' }>,
  { now }: Turn,
): ChannelEffect[] {
  const effects = takeAnswers(state, messageIds, open, now);
  adoptSends(state, left.sends);
  adoptKept(state, left, now);
  effects.push(...takeLoaded(state, left, now), ...endReload(state));
  return effects;
}

/** New URL, secret, events, token or licence: they hold from the next attempt on. [operator-interface §4] */
export function onSettingsLoaded(
  state: ChannelState,
  { request, settings, ask }: SettingsLoaded,
  { now }: Turn,
): ChannelEffect[] {
  const answered: ChannelEffect[] =
    ask === null ? [] : [{ effect: 'reply', asks: [ask], reply: { status: 'reloaded' } }];
  if (request < state.settingsSeen) return answered; // overtaken by a later load
  state.settingsSeen = request;
  const moved = state.settings?.channel.webhookUrl !== settings?.channel.webhookUrl;
  state.settings = settings;
  if (moved) state.deliveries.failures = 0;
  wakeBy(state, now); // copies that waited for a licence are looked at again
  return [...answered, ...startAll(state, now), ...tellReady(state, now), ...startPosts(state, now)];
}

export function loadSettings(state: ChannelState, ask: number | null): ChannelEffect[] {
  state.settingsAsked += 1;
  return [{ effect: 'load-settings', request: state.settingsAsked, ask }];
}

/** Claims nothing more. */
export function onDrain(state: ChannelState): ChannelEffect[] {
  state.draining = true;
  return [...turnAwayWaiting(state), ...leaveFiles(state)];
}

/** [operator-interface §3: owner, epoch, queue depths] */
export function onInspect(state: ChannelState, { ask }: Turn): ChannelEffect[] {
  if (ask === null) return [];
  return [
    {
      effect: 'reply',
      asks: [ask],
      reply: {
        epoch: state.epoch,
        sendsOpen: state.sends.open.size,
        sendsWaiting: waitingOf(state.sends),
        deliveriesPending: state.deliveries.open.size,
        factsHeld: state.facts.unmatched.size,
        filesOpen: filesOpen(state),
      },
    },
  ];
}

/** What operators see of a channel, summed up over those of a node. */
export function figuresOf(state: ChannelState, now: number): Figures {
  const { sendsAtWork: sends, deliveriesAtWork: deliveries, factsAtWork: facts } = state;
  return {
    sends_open: sends?.open.size ?? 0,
    sends_waiting: sends === null ? 0 : waitingOf(sends),
    channels_paused: Number(sends !== null && sends.pausedUntil > now),
    deliveries_pending: deliveries?.open.size ?? 0,
    receivers_failing: Number(deliveries !== null && deliveries.failures >= limits.failing),
    facts_waiting: facts?.unmatched.size ?? 0,
    inbound_waiting: state.inboundAtWork?.open.size ?? 0,
  };
}

/** Nobody has claimed them yet. */
export function waitingOf({ open }: ChannelState['sends']): number {
  let waiting = 0;
  for (const { stage } of open.values()) if (stage === 'waiting') waiting += 1;
  return waiting;
}

/** The end of a turn: a slice goes when a new one would say the same. */
export function rest(state: ChannelState, now: number): void {
  const { sendsAtWork: sends, factsAtWork: facts } = state;
  const { inboundAtWork: inbound, deliveriesAtWork: deliveries } = state;
  if (sends !== null && remembersNothing(sends, now)) state.giveUpSends();
  if (facts !== null && holdsNothing(facts)) state.giveUpFacts();
  if (inbound !== null && awaitsNothing(inbound, now)) state.giveUpInbound();
  if (deliveries !== null && owesNothing(deliveries)) state.giveUpDeliveries();
}

/** Nothing is in flight. */
export function isQuiet({ sendsAtWork: sends, factsAtWork: facts, deliveriesAtWork }: ChannelState): boolean {
  return (sends?.calls ?? 0) + (deliveriesAtWork?.posts ?? 0) + (facts?.jobs.size ?? 0) === 0;
}

/** Nothing is remembered that the store does not hold. */
export function isIdle(state: ChannelState, now: number): boolean {
  const { sendsAtWork: sends, factsAtWork: facts } = state;
  const { inboundAtWork: inbound, deliveriesAtWork: deliveries } = state;
  return (
    (sends === null || (sends.open.size + sends.calls === 0 && sends.pausedUntil <= now)) &&
    (facts === null || facts.jobs.size + facts.unmatched.size === 0) &&
    (inbound === null || isAllTold(inbound)) &&
    (deliveries === null || (deliveries.open.size === 0 && !deliveries.storeHasMore))
  );
}

function isAllTold({ open, backlog }: InboundState): boolean {
  return open.size === 0 && !backlog.storeHasMore && !backlog.loading;
}

function remembersNothing(sends: SendsState, now: number): boolean {
  return (
    sends.open.size + sends.queues.size + sends.pairs.size + sends.calls + sends.emptied.length === 0 &&
    sends.gapMs === 0 &&
    Math.max(sends.pausedUntil, sends.nextCallAt, sends.spentUntil) <= now &&
    Math.max(sends.nextAudioVideoAt, sends.audioVideoSpentUntil) <= now &&
    !isPaced(sends, now) &&
    !sends.waitingForSlot &&
    sends.toldOfToken === null &&
    sends.endedDuringReload === null
  );
}

function holdsNothing(facts: FactsState): boolean {
  const { jobs, unmatched, gathered, toRematch, toMatch, knownUpstreamIds, statusTimes } = facts;
  return (
    jobs.size + unmatched.size + statusTimes.size + knownUpstreamIds.size === 0 &&
    gathered.length + toRematch.length + toMatch.length === 0 &&
    facts.gatheringBehind === null &&
    facts.counted === 0
  );
}

function awaitsNothing(inbound: InboundState, now: number): boolean {
  return (
    isAllTold(inbound) && inbound.fetches.length + inbound.counted === 0 && inbound.backlog.lastDueAt < now // what comes next gets a later one of its own
  );
}

function owesNothing(deliveries: DeliveriesState): boolean {
  const { open, ready, posts, failures, failingSince, storeHasMore, loading } = deliveries;
  return (
    open.size + ready.length + posts + failures === 0 && failingSince === null && !storeHasMore && !loading
  );
}
