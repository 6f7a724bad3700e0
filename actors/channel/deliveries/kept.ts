/**
 * What was given up may be kept for another try: of a channel that asks for it, up to a bound. Only the owner adds to it, so that its
 * count is never too low; what others erase shows when the settings are read again. [operator-interface §4: content of given-up events]
 */
import { limits } from '../limits.ts';
import type { PendingDelivery } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';

export function mayKeep({ settings, kept }: ChannelState, { bytes }: PendingDelivery): boolean {
  if (settings === null || settings.channel.failedRetentionDays === 0 || !settings.channel.isActive)
    return false;
  return kept.base + kept.decided + bytes <= limits.keptBytes;
}
