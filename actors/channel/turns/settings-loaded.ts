import type { Turn } from '../../runtime/actor.ts';
import { startPosts } from '../deliveries.ts';
import type { ChannelEffect } from '../effects.ts';
import type { EffectResult } from '../messages.ts';
import { startAll } from '../send-queue.ts';
import type { ChannelState } from '../state.ts';
import { wakeBy } from '../state.ts';

type SettingsLoaded = Extract<EffectResult, { type: 'settings-loaded' }>;

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
  if (moved) state.failures = 0;
  wakeBy(state, now); // copies that a lapsed licence held back are looked at again
  return [...answered, ...startAll(state, now), ...startPosts(state, now)];
}

export function loadSettings(state: ChannelState, ask: number | null): ChannelEffect[] {
  state.settingsAsked += 1;
  return [{ effect: 'load-settings', request: state.settingsAsked, ask }];
}
