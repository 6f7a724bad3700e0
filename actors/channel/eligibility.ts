import { hasTier, isOperable, statusAt } from '../../src/rules/licences/operability.ts';
import { isOfEndpoint } from '../../src/rules/webhooks/endpoints.ts';
import { tierFor } from '../../src/rules/messages/content.ts';
import type { Content } from '../../src/rules/messages/content.ts';
import type { FaultCode } from '../../src/kernel/faults.ts';
import type { ChannelSettings } from '../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from './state.ts';
import type { ChannelEvent } from '../../src/rules/events/built.ts';

export interface Refusal {
  code: FaultCode;
  details: Record<string, unknown>;
}

/** Why this channel may not send or receive now; null when it may. Checked again at every claim. [faults: 52] */
export function findRefusal(state: ChannelState, now: number): Refusal | null {
  const { settings, rules } = state;
  if (settings === null) return { code: 'not_found', details: { what: 'Channel' } };
  if (!settings.channel.isActive) return { code: 'channel_inactive', details: {} };
  if (isOperable(settings.subscription, now, rules.graceMs)) return null;
  const status =
    settings.subscription === null ? 'none' : statusAt(settings.subscription, now, rules.graceMs);
  return { code: 'licence_inactive', details: { status } };
}

/**
 * Why this channel may not send this content now; null when it may. A licence that was downgraded since the request no longer sends files.
 * [operator-interface §4]
 */
export function findSendRefusal(state: ChannelState, content: Content | null, now: number): Refusal | null {
  const refusal = findRefusal(state, now);
  const subscription = state.settings?.subscription ?? null;
  if (refusal !== null || content === null || subscription === null) return refusal;
  const needed = tierFor(content.type);
  if (hasTier(subscription, needed)) return null;
  return { code: 'tier_too_low', details: { needed, tier: subscription.tier } };
}

/** The settings if the channel may send and receive now, otherwise null. */
export function operableSettings(state: ChannelState, now: number): ChannelSettings | null {
  return findRefusal(state, now) === null ? state.settings : null;
}

/** The events of a turn that become deliveries. */
export function enabledAmong(settings: ChannelSettings, events: ChannelEvent[]): ChannelEvent[] {
  const areAll = events.every(({ event }) => isEnabled(settings, event));
  return areAll ? events : events.filter(({ event }) => isEnabled(settings, event));
}

/** Whether this event is POSTed at all. Read at each attempt, not when the event arose. [architecture §6.5] */
export function isEnabled({ channel }: ChannelSettings, event: string): boolean {
  return channel.webhookUrl !== null && (channel.webhookEvents ?? []).includes(event);
}

/** Of an endpoint that is disabled or gone: what waits for it is canceled now, not when it would be due. [spec: Additions, Endpoints 5] */
export function takesNothing({ channelId, settings }: ChannelState): boolean {
  return settings !== null && settings.channel.webhookUrl === null && isOfEndpoint(channelId);
}
