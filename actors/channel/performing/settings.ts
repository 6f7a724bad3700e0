/**
 * Channel and licence in the form that a live channel keeps in memory: a store creates every string of a row again, but most strings occur
 * twice or come from a small vocabulary, so equal strings are shared. [performance §1, Memory]
 */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelProfile } from '../../../src/rules/channels/profile.ts';
import { sources, tiers } from '../../../src/rules/licences/subscription.ts';
import type { Standing, SubscriptionStatus } from '../../../src/rules/licences/subscription.ts';
import { channelTypes } from '../../../src/rules/vocabulary.ts';
import { eventTypes } from '../../../src/rules/events/table.ts';
import type { ChannelPorts } from './channel-ports.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';

const statuses: readonly SubscriptionStatus[] = ['active', 'expired', 'canceled', 'none'];

/** `channelId`: the string object that the host uses as the key; it is shared. */
export async function readSettings(
  { store, accountReceiver }: Pick<ChannelPorts, 'store' | 'accountReceiver'>,
  channelId: string,
): Promise<ChannelSettings | null> {
  const settings = await store.settings(channelId);
  if (settings === null) return null;
  const { channel, subscription } = settings;
  if (channel.webhookUrl === null) Object.assign(channel, await accountReceiver.of(channel));
  return {
    channel: internChannel(channel, channelId),
    subscription: subscription === null ? null : internStanding(subscription),
  };
}

/** Bytes of given-up deliveries that the channel keeps; 0, without a query, if it keeps none. */
export async function readKeptBytes(
  { store }: Pick<ChannelPorts, 'store'>,
  channelId: string,
  settings: ChannelSettings | null,
): Promise<number> {
  if (settings === null || settings.channel.failedRetentionDays === 0) return 0;
  return store.keptBytes(channelId);
}

/** Shares the texts in the object that the store has made: a copy by spread would take 32 B more per live channel. */
function internChannel(channel: Channel, channelId: string): Channel {
  const { profile, webhookEvents } = channel;
  return Object.assign(channel, {
    id: channelId,
    channelType: intern(channelTypes, channel.channelType),
    identity: textIn(profile, channel.identity),
    subscribedAsset: textIn(profile, channel.subscribedAsset),
    webhookEvents: webhookEvents?.map((event) => intern<string>(eventTypes, event)) ?? null,
  });
}

function internStanding({ status, source, tier, expiresAt }: Standing): Standing {
  return {
    status: intern(statuses, status),
    source: intern(sources, source),
    tier: intern(tiers, tier),
    expiresAt,
  };
}

function intern<T extends string>(words: readonly T[], said: T): T {
  return words.find((word) => word === said) ?? said;
}

/** The profile's own copy of the string, if it has one. */
function textIn(profile: ChannelProfile | null, text: string | null): string | null {
  if (profile === null || text === null) return text;
  for (const value of Object.values(profile)) if (value === text) return value;
  return text;
}
