import { hasTier, isOperable, statusAt } from '../../src/domain/licences/operability.ts';
import { tierFor } from '../../src/domain/messages/content.ts';
import type { Content } from '../../src/domain/messages/content.ts';
import type { FaultCode } from '../../src/kernel/faults.ts';
import type { ChannelSettings } from './ports.ts';
import type { ChannelState } from './state.ts';

export interface Refusal {
  code: FaultCode;
  details: Record<string, unknown>;
}

/** Why this channel may not send or receive now; null when it may. Checked again at every claim. [faults: 52] */
export function refusalOf(state: ChannelState, now: number): Refusal | null {
  const { settings, rules } = state;
  if (settings === null) return { code: 'not_found', details: { what: 'Channel' } };
  if (!settings.channel.isActive) return { code: 'channel_inactive', details: {} };
  if (isOperable(settings.subscription, now, rules.graceMs)) return null;
  const status =
    settings.subscription === null ? 'none' : statusAt(settings.subscription, now, rules.graceMs);
  return { code: 'licence_inactive', details: { status } };
}

/** The same for a send of this content: a licence that was downgraded meanwhile no longer sends files. [operator-interface §4] */
export function sendRefusalOf(state: ChannelState, content: Content | null, now: number): Refusal | null {
  const refusal = refusalOf(state, now);
  const subscription = state.settings?.subscription ?? null;
  if (refusal !== null || content === null || subscription === null) return refusal;
  const needed = tierFor(content.type);
  if (hasTier(subscription, needed)) return null;
  return { code: 'tier_too_low', details: { needed, tier: subscription.tier } };
}

/** Settings of a channel that may send and receive now; null when it may not. */
export function operableSettings(state: ChannelState, now: number): ChannelSettings | null {
  return refusalOf(state, now) === null ? state.settings : null;
}
