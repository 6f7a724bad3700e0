import type { Turn } from '../../runtime/actor.ts';
import { startPosts } from '../deliveries.ts';
import type { ChannelEffect } from '../effects.ts';
import type { ChannelNews } from '../messages.ts';
import { startAll } from '../send-queue.ts';
import type { ChannelState } from '../state.ts';

type SettingsLoaded = Extract<ChannelNews, { type: 'settings-loaded' }>;

/** New URL, secret, events, token or licence: they hold from the next attempt on. [operator-interface §4] */
export function onSettingsLoaded(
  state: ChannelState,
  { settings, ask }: SettingsLoaded,
  { now }: Turn,
): ChannelEffect[] {
  const moved = state.settings?.channel.webhookUrl !== settings?.channel.webhookUrl;
  state.settings = settings;
  if (moved) state.failures = 0;
  const answered: ChannelEffect[] =
    ask === null ? [] : [{ effect: 'reply', ask, reply: { status: 'reloaded' } }];
  return [...answered, ...startAll(state, now), ...startPosts(state, now)];
}
