/**
 * Channel and licence in the form that a live channel keeps in memory: a store creates every string of a row again, but most strings occur
 * twice or come from a small vocabulary, so equal strings are shared. [performance §1, Memory]
 */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelProfile } from '../../../src/rules/channels/profile.ts';
import { sources, tiers } from '../../../src/rules/licences/subscription.ts';
import type { Standing, SubscriptionStatus } from '../../../src/rules/licences/subscription.ts';
import { readOwner } from '../../../src/rules/webhooks/endpoints.ts';
import type { EndpointSettings } from '../../../src/rules/webhooks/endpoints.ts';
import { lruCache } from '../../../src/kernel/lru-cache.ts';
import { channelTypes } from '../../../src/rules/vocabulary.ts';
import { eventTypes } from '../../../src/rules/events/table.ts';
import type { ChannelPorts } from './channel-ports.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';

const statuses: readonly SubscriptionStatus[] = ['active', 'expired', 'canceled', 'none'];

type Reading = Pick<ChannelPorts, 'store' | 'accountReceiver' | 'receivers'>;

/** Of a channel, or of an endpoint of one. `ownerId`: the string object that the host uses as the key; a channel's is shared. */
export async function readSettings(ports: Reading, ownerId: string): Promise<ChannelSettings | null> {
  const { channelId, endpointId } = readOwner(ownerId);
  const settings = await ports.store.settings(channelId);
  if (settings === null) return null;
  const { channel, subscription } = settings;
  const own =
    endpointId === null ? await readOwn(ports, channel) : await readEndpoint(ports, channel, endpointId);
  return {
    channel: internChannel(channel, channelId),
    subscription: subscription === null ? null : internStanding(subscription),
    ...own,
  };
}

type Own = Pick<ChannelSettings, 'endpoints' | 'loggedOwners' | 'headers' | 'isDefaultReceiver'>;

async function readOwn({ accountReceiver, receivers }: Reading, channel: Channel): Promise<Own> {
  const standard = channel.webhookUrl === null ? await accountReceiver.of(channel) : null;
  const receiver = standard === null ? {} : ({ isDefaultReceiver: true } as const);
  Object.assign(channel, standard);
  if (!channel.hasEndpoints) return receiver;
  const { id } = channel;
  const [endpoints, logged] = await Promise.all([receivers.of(id), receivers.logged(id)]);
  const current = new Set(endpoints.map(({ ownerId }) => ownerId));
  const loggedOwners = logged.filter((ownerId) => !current.has(ownerId));
  return {
    ...receiver,
    ...(endpoints.length === 0 ? {} : { endpoints }),
    ...(loggedOwners.length === 0 ? {} : { loggedOwners }),
  };
}

/** Of one that takes no events, what waits is canceled. */
async function readEndpoint({ receivers }: Reading, channel: Channel, endpointId: string): Promise<Own> {
  const { headers, ...own } = (await receivers.settings(channel.id, endpointId)) ?? noEndpoint;
  Object.assign(channel, own);
  return { headers };
}

const noEndpoint: EndpointSettings = {
  webhookUrl: null,
  webhookSecret: null,
  webhookEvents: null,
  previousSecret: null,
  previousSecretUntil: null,
  headers: null,
};

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
    accountId: sharedAccountId(channel.accountId),
    channelType: intern(channelTypes, channel.channelType),
    identity: textIn(profile, channel.identity),
    subscribedAsset: textIn(profile, channel.subscribedAsset),
    webhookEvents: webhookEvents?.map((event) => intern<string>(eventTypes, event)) ?? null,
  });
}

/** Of the accounts whose channels were read last: most of an account's channels become live together. */
const accountIds = lruCache<string>(1_000);

function sharedAccountId(accountId: string): string {
  const known = accountIds.get(accountId);
  if (known === undefined) accountIds.set(accountId, accountId);
  return known ?? accountId;
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
