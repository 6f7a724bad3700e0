/**
 * Channels for the use-cases, except who holds an identity or a slot: a file keeps that in columns and a document in lists of claims and
 * slots, each under its own unique indexes, so each engine implements it.
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelRecords } from './port.ts';
import type { ChannelHoldings } from '../../storage/channel-holdings.ts';
import type { Engine } from '../../storage/engine.ts';
import type { Reserved } from '../../storage/entities/channels.ts';
import { channelFields } from '../../storage/entities/channels.ts';
import { readPage } from '../../storage/records.ts';
import type { Patched, RecordsOf } from '../../storage/records.ts';
import type { ChangedChannel } from '../../storage/channel-holdings.ts';
import { channels as channelsEntity } from '../../storage/entities/channels.ts';

const connected = { on: 'connectedAt', from: 0 } as const;

export function channelStore({
  recordsOf,
  channels,
}: Pick<Engine, 'recordsOf' | 'channels'>): ChannelRecords {
  return { ...channelRecords(recordsOf), ...channels };
}

function channelRecords(recordsOf: RecordsOf): Omit<ChannelRecords, keyof ChannelHoldings> {
  const channels = recordsOf(channelsEntity);
  // Reads without the fields of the reservation: stripping them from an item costs more than reading it. [faults: I9]
  const own = channels.only(...channelFields);
  const secrets = channels.only('id', 'token', 'webhookSecret', 'previousSecret');
  const one = (which: Partial<Channel>): Promise<Channel | null> => own.one(which, connected);
  const onAsset = (subscribedAsset: string, limit: number | null) =>
    own.list({ by: 'onAsset', equal: { subscribedAsset }, limit });
  return {
    inAccount: (id, accountId) => one({ id, accountId }),
    byId: (id) => one({ id }),
    list: (accountId, page) => readPage(own, { by: 'ofAccount', equal: { accountId } }, page),
    activeAfter: (after, limit) =>
      own.list({ by: 'byId', equal: { isActive: true }, range: connected, after: [after], limit }),
    activeOn: (subscribedAsset, limit, accountId) =>
      accountId === undefined
        ? onAsset(subscribedAsset, limit)
        : own.list({ by: 'onAsset', equal: { subscribedAsset, accountId }, limit }),
    countActiveOn: (subscribedAsset) =>
      channels.count({ by: 'onAsset', equal: { subscribedAsset }, limit: null }),
    accountsOn: async (asset) => [...new Set((await onAsset(asset, null)).map(({ accountId }) => accountId))],
    secretsAfter: (after, limit) => secrets.list({ by: 'byId', after: [after], limit }),
    async replaceSecrets(before, { token, webhookSecret, previousSecret }) {
      const set = { token, webhookSecret, previousSecret };
      return (await channels.patch({ which: before, change: { set } })) !== null;
    },
    async updateWebhook(id, accountId, settings, firstSecret) {
      const isEmpty = Object.values(settings).every((value) => value === undefined);
      const first =
        firstSecret === undefined
          ? null
          : await channels.patchBoth({
              which: { id, accountId, webhookSecret: null },
              range: connected,
              change: { set: { ...settings, webhookSecret: firstSecret } },
            });
      if (first !== null) return toChanged(first);
      if (isEmpty) return unchanged(await one({ id, accountId }));
      const patch = { which: { id, accountId }, range: connected, change: { set: settings } };
      const changed = await channels.patchBoth(patch);
      return changed === null ? null : toChanged(changed);
    },
    async renewProfile({ id, subscribedAsset }, profile) {
      const which = { id, subscribedAsset };
      return (await channels.patch({ which, range: connected, change: { set: { profile } } })) !== null;
    },
    async replaceToken({ id, token }, { token: next, tokenExpiresAt }) {
      const set = { token: next, tokenExpiresAt };
      return (await channels.patch({ which: { id, token }, range: connected, change: { set } })) !== null;
    },
    async noteSendPause(id, { sendsPausedAt, sendsResumedAt }) {
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
