/**
 * Channels, except who holds an identity or a slot: a file keeps that in columns and a document in lists of claims and
 * slots, each under its own unique indexes, so each engine implements it.
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Engine } from '../../storage/engine.ts';
import type { Reserved } from '../../storage/entities/channels.ts';
import { channelFields, channels as channelsEntity } from '../../storage/entities/channels.ts';
import { readPage } from '../../storage/records.ts';
import type { Patched, Reads, Records, RecordsOf } from '../../storage/records.ts';
import type { ChangedChannel, WebhookSettings } from '../../storage/channel-holdings.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import type { ChannelProfile } from '../../rules/channels/profile.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';

const connected = { on: 'connectedAt', from: 0 } as const;

export function channelStore({ recordsOf, channels }: Pick<Engine, 'recordsOf' | 'channels'>) {
  return { ...channelRecords(recordsOf), ...channels };
}

function channelRecords(recordsOf: RecordsOf) {
  const channels = recordsOf(channelsEntity);
  // Reads without the fields of the reservation: stripping them from an item costs more than reading it. [faults: I9]
  const own = channels.only(...channelFields);
  const named = channels.only(...namedFields);
  const placed = channels.only('id', 'createdAt');
  const secrets = channels.only('id', 'token', 'webhookSecret', 'previousSecret');
  const one = (which: Partial<Channel>): Promise<Channel | null> => own.one(which, connected);
  const onAsset = (subscribedAsset: string, limit: number | null) =>
    own.list({ by: 'onAsset', equal: { subscribedAsset }, limit });
  return {
    /** Connected channels only (active and inactive); null if absent or of another account. */
    inAccount: (id: string, accountId: string): Promise<Channel | null> => one({ id, accountId }),
    byId: (id: string): Promise<Channel | null> => one({ id }),
    /** The account's connected channels among a few ids, by id. */
    async among(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Channel>> {
      const found = await own.some([...new Set(ids)], { accountId });
      return new Map(found.filter(({ connectedAt }) => connectedAt !== null).map((each) => [each.id, each]));
    },
    /** Connected channels, oldest first. */
    list: (accountId: string, page: PageRequest): Promise<Page<Channel>> =>
      readPage(own, { by: 'ofAccount', equal: { accountId } }, page),
    /** As `list`, with what channels are found by alone: an account may have many. */
    names: (accountId: string, page: PageRequest): Promise<Page<NamedChannel>> =>
      readPage(named, { by: 'ofAccount', equal: { accountId } }, page),
    /** Ids of the account's oldest connected channels, at most `limit`. */
    ids: async (accountId: string, limit: number): Promise<string[]> =>
      (await placed.list({ by: 'ofAccount', equal: { accountId }, limit })).map(({ id }) => id),
    /** Active, connected channels of any account by id, the first `limit` after `after`. */
    activeAfter: (after: string, limit: number): Promise<Channel[]> =>
      own.list({ by: 'byId', equal: { isActive: true }, range: connected, after: [after], limit }),
    /** Active channels with this `subscribedAsset`, of this account or of any, at most `limit`. */
    activeOn: (subscribedAsset: string, limit: number, accountId?: string): Promise<Channel[]> =>
      accountId === undefined
        ? onAsset(subscribedAsset, limit)
        : own.list({ by: 'onAsset', equal: { subscribedAsset, accountId }, limit }),
    /** Number of active channels of any account with this `subscribedAsset`. */
    countActiveOn: (subscribedAsset: string): Promise<number> =>
      channels.count({ by: 'onAsset', equal: { subscribedAsset }, limit: null }),
    /** Ids of the accounts of these channels. */
    accountsOn: async (asset: string): Promise<string[]> => [
      ...new Set((await onAsset(asset, null)).map(({ accountId }) => accountId)),
    ],
    /** Secrets of all channels, connected or not, by channel id, the first `limit` after `after`. */
    secretsAfter: (after: string, limit: number): Promise<ChannelSecrets[]> =>
      secrets.list({ by: 'byId', after: [after], limit }),
    /** Number of the account's connected channels. */
    countOf: (accountId: string): Promise<number> =>
      channels.count({ by: 'ofAccount', equal: { accountId }, limit: null }),
    ...boundedOf(own, named, channels.only(...slotFields)),
    ...changesOf(channels, one),
  };
}

/** What pages ask of an account with many channels. */
function boundedOf(
  own: Reads<Channel, Channel>,
  named: Reads<Channel, NamedChannel>,
  slots: Reads<Channel, HeldSlot>,
) {
  return {
    /** The account's oldest channel of this kind that is active, or is not; null: it has none. */
    async firstOfKind(
      accountId: string,
      { channelType, isActive }: Pick<Channel, 'channelType' | 'isActive'>,
    ): Promise<NamedChannel | null> {
      const equal = { accountId, channelType, isActive };
      return (await named.list({ by: 'ofKind', equal, limit: 1 }))[0] ?? null;
    },
    /** Ids of the account's active channels that no licence is bound to, the oldest first. */
    withoutLicence: async (accountId: string, limit: number): Promise<string[]> => {
      const equal = { accountId, isActive: true, subscriptionId: null };
      return (await slots.list({ by: 'byLicence', equal, limit })).map(({ id }) => id);
    },
    /** The account's connected channels that are bound to these licences, active or not. */
    onLicences: (accountId: string, licenceIds: readonly string[]): Promise<Channel[]> =>
      boundTo(own, accountId, licenceIds),
    /** The slots that the account's connected channels hold, the oldest channel first. */
    heldSlots: (accountId: string, page: PageRequest): Promise<Page<HeldSlot>> =>
      readPage(slots, { by: 'ofAccount', equal: { accountId } }, page),
    /** The slots of these licences that the account's connected channels hold. */
    slotsOf: (accountId: string, licenceIds: readonly string[]): Promise<HeldSlot[]> =>
      boundTo(slots, accountId, licenceIds),
  };
}

/** A licence has one slot for each kind, so a few items each. */
async function boundTo<V extends Pick<Channel, 'connectedAt'>>(
  reads: Reads<Channel, V>,
  accountId: string,
  licenceIds: readonly string[],
): Promise<V[]> {
  const found = await Promise.all(
    licenceIds.map((subscriptionId) =>
      reads.list({ by: 'onLicence', equal: { subscriptionId, accountId }, limit: null }),
    ),
  );
  return found.flat().filter(({ connectedAt }) => connectedAt !== null);
}

function changesOf(
  channels: Records<Channel & Reserved>,
  one: (which: Partial<Channel>) => Promise<Channel | null>,
) {
  return {
    /** Writes the same secrets, sealed under another key. False, and nothing is written, if one of them was changed meanwhile. */
    async replaceSecrets(
      before: ChannelSecrets,
      { token, webhookSecret, previousSecret }: ChannelSecrets,
    ): Promise<boolean> {
      const set = { token, webhookSecret, previousSecret };
      return (await channels.patch({ which: before, change: { set } })) !== null;
    },
    /**
     * `firstSecret` is written only if the channel has no secret at that moment, so that one of two concurrent calls wins. null: the account
     * has no such channel, or it has another secret than the one that `which` names.
     */
    async updateWebhook(
      which: Pick<Channel, 'id' | 'accountId'> & Partial<Pick<Channel, 'webhookSecret'>>,
      settings: WebhookSettings,
      firstSecret?: SealedText,
    ): Promise<ChangedChannel | null> {
      const isEmpty = Object.values(settings).every((value) => value === undefined);
      const first =
        firstSecret === undefined
          ? null
          : await channels.patchBoth({
              which: { ...which, webhookSecret: null },
              range: connected,
              change: { set: { ...settings, webhookSecret: firstSecret } },
            });
      if (first !== null) return toChanged(first);
      if (isEmpty) return unchanged(await one(which));
      const changed = await channels.patchBoth({ which, range: connected, change: { set: settings } });
      return changed === null ? null : toChanged(changed);
    },
    /** False if the account has no such channel. */
    async noteEndpoints(id: string, accountId: string): Promise<boolean> {
      const change = { set: { hasEndpoints: true } };
      return (await channels.patch({ which: { id, accountId }, range: connected, change })) !== null;
    },
    ...upstreamChangesOf(channels),
  };
}

/** Changes that upstream reports. */
function upstreamChangesOf(channels: Records<Channel & Reserved>) {
  return {
    /**
     * Replaces the profile by the one that upstream shows. False if the channel is gone or belongs to another asset meanwhile: then
     * the profile is out of date.
     */
    async renewProfile(
      { id, subscribedAsset }: Pick<Channel, 'id' | 'subscribedAsset'>,
      profile: ChannelProfile,
    ): Promise<boolean> {
      const which = { id, subscribedAsset };
      return (await channels.patch({ which, range: connected, change: { set: { profile } } })) !== null;
    },
    /**
     * Writes a token and its end if the channel still has the token `before`. False, and nothing is written, if it has another: it was
     * connected again meanwhile.
     */
    async replaceToken(
      { id, token }: Pick<Channel, 'id' | 'token'>,
      { token: next, tokenExpiresAt }: Pick<Channel, 'token' | 'tokenExpiresAt'>,
    ): Promise<boolean> {
      const set = { token: next, tokenExpiresAt };
      return (await channels.patch({ which: { id, token }, range: connected, change: { set } })) !== null;
    },
    /** Records when upstream paused the number or took it back: the latest time stands. null if the channel is gone. */
    async noteSendPause(
      id: string,
      { sendsPausedAt, sendsResumedAt }: Partial<Pick<Channel, 'sendsPausedAt' | 'sendsResumedAt'>>,
    ): Promise<Channel | null> {
      const max = {
        ...(sendsPausedAt == null ? {} : { sendsPausedAt }),
        ...(sendsResumedAt == null ? {} : { sendsResumedAt }),
      };
      return toChannelOrNull(await channels.patch({ which: { id }, range: connected, change: { max } }));
    },
  };
}

function toChannelOrNull(stored: (Channel & Reserved) | null): Channel | null {
  return stored === null ? null : toChannel(stored);
}

function toChanged({ before, after }: Patched<Channel & Reserved>): ChangedChannel {
  return { before: toChannel(before), after: toChannel(after) };
}

function unchanged(channel: Channel | null): ChangedChannel | null {
  return channel === null ? null : { before: channel, after: channel };
}

function toChannel(stored: Channel & Reserved): Channel {
  const {
    reservedCodeHash: _code,
    reservedExpiresAt: _expiry,
    reservedApiKeyId: _key,
    reservedIdentity: _identity,
    reservedSubscriptionId: _slot,
    reservedGrant: _grant,
    ...channel
  } = stored;
  return channel;
}

const namedFields = ['id', 'channelType', 'name', 'profile', 'isActive', 'createdAt'] as const;
const slotFields = ['id', 'channelType', 'subscriptionId', 'connectedAt', 'createdAt'] as const;
type HeldSlot = Pick<Channel, (typeof slotFields)[number]>;

export type NamedChannel = Pick<Channel, (typeof namedFields)[number]>;

/** Fields of a channel that stay sealed for its whole life. */
export type ChannelSecrets = Pick<Channel, 'id' | 'token' | 'webhookSecret' | 'previousSecret'>;
