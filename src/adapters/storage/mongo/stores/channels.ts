/** Channels as the use-cases see them. */
import type { Filter } from 'mongodb';
import type { Channel } from '../../../../domain/channels/channel.ts';
import type { ChannelSecrets, ChannelStore, WebhookSettings } from '../../../../use-cases/ports/channels.ts';
import type { MongoContext } from '../collections.ts';
import { channelOf, reservedOf } from '../documents.ts';
import type { ChannelDocument } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';
import {
  changing,
  changingHoldings,
  claimOn,
  claimsAndSlotsOf,
  webhookFields,
} from '../writes/claims-and-slots.ts';
import { pageOf } from './paging.ts';
import { reservations } from './reservations.ts';

const isConnected = { connectedAt: { $exists: true } };

function oneOf(found: ChannelDocument | null): Channel | null {
  return found === null ? null : channelOf(found);
}

export function channelStore(context: MongoContext): ChannelStore {
  return { ...channelReads(context), ...channelChanges(context), ...reservations(context) };
}

type Reads =
  | 'inAccount'
  | 'byId'
  | 'list'
  | 'byIdentity'
  | 'claimOf'
  | 'activeAfter'
  | 'secretsAfter'
  | 'activeOn'
  | 'countActiveOn'
  | 'accountsOn';

function channelReads({ channels, retryPolicy }: MongoContext): Pick<ChannelStore, Reads> {
  const read = async (filter: object): Promise<Channel | null> =>
    oneOf(await retryPolicy.run('read a channel', () => channels.findOne(filter)));
  return {
    inAccount: (channelId, accountId) => read({ _id: channelId, accountId, ...isConnected }),
    byId: (channelId) => read({ _id: channelId, ...isConnected }),
    list: (accountId, page) =>
      retryPolicy.run('list channels', () =>
        pageOf(channels, { accountId, ...isConnected }, page, 1, channelOf),
      ),
    async byIdentity(channelType, identities) {
      const claims = identities.map((identity) => claimOn(channelType, identity));
      const found = await retryPolicy.run('find channels', () =>
        channels
          .find({ claims: { $in: claims }, channelType, identity: { $in: [...identities] }, ...isConnected })
          .toArray(),
      );
      return found.map(channelOf);
    },
    claimOf: (channelType, identity) => read({ claims: claimOn(channelType, identity) }),
    secretsAfter: secretsOf({ channels, retryPolicy }),
    async activeAfter(after, limit) {
      const found = await retryPolicy.run('list active channels', () =>
        channels
          .find({ _id: { $gt: after }, isActive: true, ...isConnected })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(channelOf);
    },
    async activeOn(asset, limit) {
      const found = await retryPolicy.run('list active channels', () =>
        channels
          .find({ subscribedAsset: asset, isActive: true, ...isConnected })
          .limit(limit)
          .toArray(),
      );
      return found.map(channelOf);
    },
    countActiveOn: (asset) =>
      retryPolicy.run('count channels', () =>
        channels.countDocuments({ subscribedAsset: asset, isActive: true }),
      ),
    async accountsOn(asset) {
      const found = await retryPolicy.run('list accounts', () =>
        channels.find({ subscribedAsset: asset, isActive: true }, { projection: { accountId: 1 } }).toArray(),
      );
      return [...new Set(found.map(({ accountId }) => accountId))];
    },
  };
}

function secretsOf({
  channels,
  retryPolicy,
}: Pick<MongoContext, 'channels' | 'retryPolicy'>): ChannelStore['secretsAfter'] {
  return async function secretsAfter(after, limit) {
    const found = await retryPolicy.run('read sealed secrets', () =>
      channels
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
    return found.map(({ _id: id, token = null, webhookSecret = null, previousSecret = null }) => ({
      id,
      token,
      webhookSecret,
      previousSecret,
    }));
  };
}

/** Absent is null. */
function secretsAre({ token, webhookSecret, previousSecret }: ChannelSecrets): object {
  const none = { $exists: false };
  return {
    token: token ?? none,
    webhookSecret: webhookSecret ?? none,
    previousSecret: previousSecret ?? none,
  };
}

type Changes = 'replaceSecrets' | 'updateWebhook' | 'renewProfile' | 'deactivate' | 'releaseClaim' | 'bind';

function channelChanges(context: MongoContext): Pick<ChannelStore, Changes> {
  const { channels, retryPolicy } = context;
  return {
    updateWebhook: updateWebhookOf(context),
    async replaceSecrets(before, after) {
      const result = await retryPolicy.run('replace sealed secrets', () =>
        channels.updateOne(
          { _id: before.id, ...secretsAre(before) },
          {
            $set: {
              ...(after.token === null ? {} : { token: after.token }),
              ...(after.webhookSecret === null ? {} : { webhookSecret: after.webhookSecret }),
              ...(after.previousSecret === null ? {} : { previousSecret: after.previousSecret }),
            },
          },
        ),
      );
      return result.matchedCount === 1;
    },
    async renewProfile({ id, subscribedAsset }, profile) {
      const asset = subscribedAsset ?? { $exists: false };
      const { matchedCount } = await retryPolicy.run('renew a profile', () =>
        channels.updateOne({ _id: id, subscribedAsset: asset, ...isConnected }, { $set: { profile } }),
      );
      return matchedCount === 1;
    },
    async deactivate(channelId, accountId) {
      const found = await retryPolicy.run('deactivate a channel', () =>
        channels.findOneAndUpdate(
          { _id: channelId, accountId, ...isConnected },
          changingHoldings({ isActive: false }),
          { returnDocument: 'after' },
        ),
      );
      return oneOf(found);
    },
    async releaseClaim(channelId) {
      // An operator who frees the identity also ends a reservation that waits to revive the channel with it.
      const result = await changeOf(context, channelId, ({ channelType, subscriptionId, isActive }) =>
        isActive
          ? null
          : { identity: null, reservation: null, ...claimsAndSlotsOf({ channelType, subscriptionId }) },
      );
      return result === 'changed';
    },
    bind: (channelId, subscriptionId) => bindTo(context, channelId, subscriptionId),
  };
}

function updateWebhookOf({ channels, retryPolicy }: MongoContext): ChannelStore['updateWebhook'] {
  const update = (where: Filter<ChannelDocument>, settings: WebhookSettings) => {
    const change = changing(webhookFields(settings));
    return retryPolicy.run('update a channel', () =>
      Object.keys(change).length === 0
        ? channels.findOne(where)
        : channels.findOneAndUpdate(where, change, { returnDocument: 'after' }),
    );
  };
  return async function updateWebhook(channelId, accountId, settings, firstSecret) {
    const filter = { _id: channelId, accountId, ...isConnected };
    const whereNone = { ...filter, webhookSecret: { $exists: false } };
    const first =
      firstSecret === undefined ? null : await update(whereNone, { ...settings, webhookSecret: firstSecret });
    return oneOf(first ?? (await update(filter, settings)));
  };
}

async function bindTo(
  context: MongoContext,
  channelId: string,
  subscriptionId: string | null,
): Promise<'bound' | 'slot_taken' | 'absent'> {
  const { channels, subscriptions, retryPolicy } = context;
  const channel = await retryPolicy.run('read a channel', () =>
    channels.findOne({ _id: channelId, ...isConnected }),
  );
  if (channel === null) return 'absent';
  const { accountId } = channel;
  const licence =
    subscriptionId === null
      ? null
      : await retryPolicy.run('read a licence', () =>
          subscriptions.findOne({ _id: subscriptionId, accountId }),
        );
  if (subscriptionId !== null && licence === null) return 'absent';
  try {
    const result = await changeOf(context, channelId, (before) => {
      const { channelType, identity } = before;
      const reservation = reservedOf(before);
      return { subscriptionId, ...claimsAndSlotsOf({ channelType, identity, subscriptionId, reservation }) };
    });
    return result === 'changed' ? 'bound' : 'absent';
  } catch (error) {
    if (error instanceof DuplicateKey && error.index === 'slots') return 'slot_taken';
    throw error;
  }
}

/**
 * Reads a connected channel and changes its holdings unless they changed meanwhile; then again. Repeating it once it was
 * applied reads the new version and applies the same again. Throws DuplicateKey when the index says no.
 */
async function changeOf(
  { channels, retryPolicy }: MongoContext,
  channelId: string,
  change: (before: ChannelDocument) => Record<string, unknown> | null,
): Promise<'changed' | 'none'> {
  for (;;) {
    const before = await retryPolicy.run('read a channel', () =>
      channels.findOne({ _id: channelId, ...isConnected }),
    );
    const fields = before === null ? null : change(before);
    if (before === null || fields === null) return 'none';
    const { matchedCount } = await retryPolicy.run('update a channel', () =>
      channels.updateOne({ _id: channelId, version: before.version }, changingHoldings(fields)),
    );
    if (matchedCount === 1) return 'changed';
  }
}
