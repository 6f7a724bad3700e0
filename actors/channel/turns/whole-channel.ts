/** Turns that concern the whole channel. */
import { isOfEndpoint } from '../../../src/rules/webhooks/endpoints.ts';
import type { Turn } from '../../runtime/actor.ts';
import { takeLoaded, wakeDeliveries } from '../deliveries/due.ts';
import { onCopies } from '../deliveries/copies.ts';
import { isOrdered, noteGap } from '../deliveries/order.ts';
import { startPosts } from '../deliveries/post.ts';
import type { DeliveriesState } from '../deliveries/state.ts';
import type { ChannelEffect, ChannelMessage, EffectResult } from '../messages.ts';
import { filesOpen, leaveFiles } from '../inbound/fetches.ts';
import { emitReady } from '../inbound/files.ts';
import { holdForEchoes } from '../facts/open-echoes.ts';
import { adoptStored, expireUnmatched, rematchSome } from '../facts/match.ts';
import { askForEchoes } from '../facts/unproven-echoes.ts';
import { wakeSends } from '../sends/due.ts';
import { startAll, rejectWaiting } from '../sends/queue.ts';
import { adoptSends, endReload, loadOthers, takeAnswers } from '../sends/reload.ts';
import { countWaiting } from './idle.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';

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
    ...askForEchoes(state, now),
    ...emitReady(state, now),
    ...wakeDeliveries(state, now),
  ];
  // This turn looks at every open send, so with thousands of sends the next alarm is some ms later.
  state.wakeAt = Math.max(state.wakeAt, now + Math.floor(state.sends.open.size / sendsPerMs));
  return effects;
}

/** The store was read again: it decides where memory is uncertain, and it may hold late writes of an earlier owner. */
export function onReloaded(
  state: ChannelState,
  { messageIds, open, left }: Extract<EffectResult, { type: 'reloaded' }>,
  { now }: Turn,
): ChannelEffect[] {
  const effects = takeAnswers(state, messageIds, open, now);
  adoptSends(state, left.sends, now);
  adoptStored(state, left, now);
  effects.push(...takeLoaded(state, left, now), ...endReload(state));
  return effects;
}

/** New URL, secret, events, token or licence apply from the next attempt on. [operator-interface §4] */
export function onSettingsLoaded(
  state: ChannelState,
  { request, settings, ask, keptBase = 0 }: SettingsLoaded,
  { now }: Turn,
): ChannelEffect[] {
  const answered: ChannelEffect[] =
    ask === null ? [] : [{ effect: 'reply', asks: [ask], reply: { status: 'reloaded' } }];
  if (request < state.settingsSeen) return answered; // a later load has already been applied
  state.settingsSeen = request;
  const moved = state.settings?.channel.webhookUrl !== settings?.channel.webhookUrl;
  const isNewlyOrdered = !isOrdered(state) && settings?.channel.ordered === true;
  state.settings = settings;
  if (isNewlyOrdered && state.deliveriesAtWork?.storeHasMore === true) noteGap(state);
  state.keepFrom(keptBase);
  if (moved)
    Object.assign(state.deliveries, { failures: 0, failingSince: null } satisfies Partial<DeliveriesState>);
  wakeBy(state, now); // looks again at copies that waited for a licence
  return [...answered, ...startAll(state, now), ...emitReady(state, now), ...startPosts(state, now)];
}

export function loadSettings(state: ChannelState, ask: number | null): ChannelEffect[] {
  state.settingsAsked += 1;
  const { settingsAsked: request, kept } = state;
  return [{ effect: 'load-settings', request, ask, keptRecorded: kept.recorded }];
}

/** A sweep has found due work of the channel, or deliveries of an endpoint are new. */
export function onWake(
  state: ChannelState,
  { untaken = false, stored }: Extract<ChannelMessage, { type: 'wake' }>,
  { now }: Turn,
): ChannelEffect[] {
  if (isOfEndpoint(state.channelId)) return onCopies(state, stored ?? null, now);
  return [...startPosts(state, now), ...(untaken ? loadOthers(state) : [])];
}

/** From now on the channel claims nothing. */
export function onDrain(state: ChannelState): ChannelEffect[] {
  state.draining = true;
  return [...rejectWaiting(state), ...leaveFiles(state)];
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
        sendsWaiting: countWaiting(state.sends),
        deliveriesPending: state.deliveries.open.size,
        factsHeld: state.facts.unmatched.size,
        filesOpen: filesOpen(state),
      },
    },
  ];
}
