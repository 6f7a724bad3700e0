/** Reads and writes of a channel's owner. Not over records: this is the hot path, and its reads are combined over channels. */
import type { Filter, Sort } from 'mongodb';
import { maxUnmatched } from '../../journal/channel-journal.ts';
import type { ChannelJournal, DeliveryReads, KnownMessage } from '../../journal/channel-journal.ts';
import type { SealedUnmatchedFact } from '../../journal/writes.ts';
import { readRank } from '../../entities/messages.ts';
import { fenced } from '../../journal/rule.ts';
import type { Claim } from '../../journal/rule.ts';
import type { MongoContext } from '../collections.ts';
import { committer } from '../commit.ts';
import type { IsFenced } from '../commit.ts';
import { batchReads, wholeBatch } from '../batch-reads.ts';
import { makeApplyPendingUpdates } from '../pending-updates.ts';
import {
  toChannel,
  toUnmatchedFact,
  knownMessage,
  toMessage,
  pendingProjection,
  toPendingDelivery,
  toSubscription,
} from '../documents.ts';
import type { DeliveryDocument, MessageDocument } from '../documents.ts';
import { copyBytes } from '../items.ts';
import { hasSome, openWorkReader, noOpenWork } from './open-work.ts';
import { raiser } from './raise-epochs.ts';
import { keptFilter } from './kept-deliveries.ts';

export function channelStateStore(context: MongoContext): ChannelJournal {
  const { messages, unmatched, retryPolicy, safely, commitQueues } = context;
  const newestUnmatched = makeReadNewestUnmatched(context);
  const reads = deliveryReads(context);
  const readOpenWork = openWorkReader(context);
  const raise = raiser(context);
  const applyPendingUpdates = makeApplyPendingUpdates(context);

  return {
    requireHighest: makeRequireHighest(context),
    settings: makeReadSettings(context),
    ...messageReads(context),
    ...reads,
    async load(channelId, epoch, now, limit) {
      const left = (await readOpenWork(channelId)) ?? noOpenWork;
      if (left.epoch > epoch) throw fenced(channelId, epoch);
      if (left.pendingUpdates) await applyPendingUpdates(channelId);
      await raise(channelId, epoch, left);
      const [open, facts, pending] = await Promise.all([
        hasSome(left.messages)
          ? retryPolicy.run('load messages', () =>
              messages.find({ channelId, dueAt: { $gte: 0 } }, safely).toArray(),
            )
          : [],
        left.unmatched ? newestUnmatched(channelId, now) : [],
        hasSome(left.deliveries) ? reads.pendingDeliveries(channelId, limit + 1) : [],
      ]);
      return {
        openMessages: open.toSorted(byArrival).map(toMessage),
        unmatched: facts,
        hasPendingInbound: left.inbound,
        deliveries: pending.slice(0, limit),
        storeHasMoreDeliveries: pending.length > limit,
      };
    },
    async pendingInbound(channelId, after, limit) {
      const found = await retryPolicy.run('find pending inbound messages', () =>
        unmatched
          .find({ channelId, dueAt: { $gt: after } }, safely)
          .sort({ dueAt: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(toUnmatchedFact);
    },
    commit: committer(commitQueues, fence(context)),
  };
}

/** Facts per reply: thousands in one would delay other channels. */
const factsPerBatch = 250;

/** The newest unmatched facts, at most `maxUnmatched`, in ascending order. */
function makeReadNewestUnmatched({ unmatched, retryPolicy, safely }: MongoContext) {
  return async function newestUnmatched(channelId: string, now: number): Promise<SealedUnmatchedFact[]> {
    const waiting = { channelId, expiresAt: { $gt: new Date(now) }, dueAt: { $exists: false } };
    const found = await retryPolicy.run('load unmatched facts', () =>
      unmatched
        .find(waiting, { ...safely, batchSize: factsPerBatch })
        .sort({ expiresAt: -1 })
        .limit(maxUnmatched)
        .toArray(),
    );
    return found.map(toUnmatchedFact).toSorted((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1));
  };
}

function byArrival(a: MessageDocument, b: MessageDocument): number {
  return a.firstEpoch - b.firstEpoch || a.arrival - b.arrival;
}

/** While Redis is unreachable every send reads the epoch; simultaneous reads are combined. */
function makeRequireHighest({ owners, retryPolicy, safely }: MongoContext): ChannelJournal['requireHighest'] {
  const readEpoch = batchReads(async (ids) => {
    const found = await retryPolicy.run('read epochs', () =>
      owners
        .find({ _id: { $in: ids } }, { ...safely, projection: { epoch: 1 }, batchSize: wholeBatch })
        .toArray(),
    );
    return new Map(found.map(({ _id, epoch }) => [_id, epoch]));
  });
  return async (channelId, epoch) => {
    if (((await readEpoch(channelId)) ?? 0) > epoch) throw fenced(channelId, epoch);
  };
}

/** Whether a claim missed because a higher epoch was minted or stored, and not because of its state. */
function fence({ messages, deliveries, owners, retryPolicy, safely }: MongoContext): IsFenced {
  return async (channelId, epoch, claims) => {
    const higher = { channelId, epoch: { $gt: epoch } };
    const idsIn = (to: Claim['to']) => claims.flatMap((claim) => (claim.to === to ? [claim.id] : []));
    const found = await retryPolicy.run('read epochs', () =>
      Promise.all([
        owners.findOne({ _id: channelId, epoch: { $gt: epoch } }, safely),
        messages.findOne({ _id: { $in: idsIn('messages') }, ...higher }, safely),
        deliveries.findOne({ _id: { $in: idsIn('deliveries') }, ...higher }, safely),
      ]),
    );
    return found.some((each) => each !== null);
  };
}

function makeReadSettings({
  channels,
  subscriptions,
  retryPolicy,
}: MongoContext): ChannelJournal['settings'] {
  const channelById = batchReads(async (ids) => {
    const connected = { _id: { $in: ids }, connectedAt: { $exists: true } };
    const found = await retryPolicy.run('read channels', () =>
      channels.find(connected, { batchSize: wholeBatch }).toArray(),
    );
    return new Map(found.map((channel) => [channel._id, channel]));
  });
  const licenceById = batchReads(async (ids) => {
    const found = await retryPolicy.run('read licences', () =>
      subscriptions.find({ _id: { $in: ids } }, { batchSize: wholeBatch }).toArray(),
    );
    return new Map(found.map((licence) => [licence._id, licence]));
  });
  return async function settings(channelId) {
    const found = await channelById(channelId);
    if (found === undefined) return null;
    const bound = found.subscriptionId === undefined ? undefined : await licenceById(found.subscriptionId);
    return { channel: toChannel(found), subscription: bound === undefined ? null : toSubscription(bound) };
  };
}

type Found = Pick<MessageDocument, '_id'>;
/** Messages per reply, which is read in one turn of the event loop: an echo has up to fifty parts, and a batch a hundred facts. [faults: I9] */
const foundAtOnce = 500;

function messageReads({
  messages,
  retryPolicy,
}: MongoContext): Pick<ChannelJournal, 'findMessages' | 'findBelowRank'> {
  const fields = { projection: knownMessage.projection };
  return {
    async findMessages(channelId, { ids, upstreamIds }) {
      const read = (filter: object) =>
        messages
          .find<Found>({ ...filter, channelId }, fields)
          .batchSize(foundAtOnce)
          .toArray();
      const none: Found[] = [];
      const found = await retryPolicy.run('find messages', () =>
        Promise.all([
          ids.length === 0 ? none : read({ _id: { $in: ids } }),
          upstreamIds.length === 0 ? none : read({ upstreamIds: { $in: upstreamIds } }),
        ]),
      );
      const known = new Map<string, KnownMessage>();
      for (const document of found.flat()) known.set(document._id, knownMessage.of(document));
      return [...known.values()];
    },
    async findBelowRank(channelId, { recipient, belowRank, upTo, limit }) {
      const rank = { $lt: Math.min(belowRank, readRank) }; // the index contains no message that was read
      const found = await retryPolicy.run('find unread messages', () =>
        messages
          .find<Found>({ channelId, recipient, attemptedAt: { $lte: upTo }, state: 'sent', rank }, fields)
          .sort({ attemptedAt: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(knownMessage.of);
    },
  };
}

function pendingReads({
  deliveries,
  retryPolicy,
  safely,
}: MongoContext): Pick<DeliveryReads, 'pendingDeliveries'> {
  const pendingBy = async (order: Sort, which: Filter<DeliveryDocument>, limit: number) => {
    const found = await retryPolicy.run('find pending deliveries', () =>
      deliveries
        .find(which, { ...safely, projection: pendingProjection })
        .sort(order)
        .limit(limit)
        .toArray(),
    );
    return found.map(toPendingDelivery);
  };
  return {
    async pendingDeliveries(channelId, limit, inOrder = false) {
      if (!inOrder) return pendingBy({ dueAt: 1 }, { channelId, dueAt: { $gte: 0 } }, limit);
      const placed = { channelId, dueAt: { $gte: 0 }, sequence: { $gte: 0 } };
      const inPlace = await pendingBy({ sequence: 1 }, placed, limit);
      if (inPlace.length === limit) return inPlace;
      // Those with a place are few then: it passes over them.
      const others = { channelId, dueAt: { $gte: 0 }, sequence: { $exists: false } };
      return [...inPlace, ...(await pendingBy({ dueAt: 1 }, others, limit - inPlace.length))];
    },
  };
}

function deliveryReads(context: MongoContext): DeliveryReads {
  const { deliveries, retryPolicy, safely } = context;
  return {
    ...pendingReads(context),
    async keptDeliveries(channelId, { after, limit, ...query }) {
      const from = new Date(Math.max(0, after.createdAt));
      const behind = [{ createdAt: { $gt: from } }, { _id: { $gt: after.id } }];
      const found = await retryPolicy.run('find kept deliveries', () =>
        deliveries
          .find(
            { ...keptFilter(channelId, query), createdAt: { $gte: from }, $or: behind },
            { ...safely, projection: { ...pendingProjection, keptSince: 1 }, hint: 'kept' },
          )
          .sort({ createdAt: 1, _id: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map((each) => ({ ...toPendingDelivery(each), keptSince: each.keptSince ?? 0 }));
    },
    async keptBytes(channelId) {
      const which = { channelId, keptSince: { $gte: 0 } };
      const [sum] = await retryPolicy.run('count kept bytes', () =>
        deliveries
          .aggregate<{ bytes: number }>(
            [{ $match: which }, { $group: { _id: null, bytes: { $sum: '$keptBytes' } } }],
            { ...safely, hint: 'kept_by_age' },
          )
          .toArray(),
      );
      return sum?.bytes ?? 0;
    },
    async findDeliveries(channelId, deliveryIds) {
      const found = await retryPolicy.run('find deliveries', () =>
        deliveries
          .find({ _id: { $in: deliveryIds }, channelId }, { ...safely, projection: { _id: 1 } })
          .toArray(),
      );
      return found.map(({ _id }) => _id);
    },
    async deliveryPayload(channelId, deliveryId) {
      const found = await retryPolicy.run('read a payload', () =>
        deliveries.findOne({ _id: deliveryId, channelId, state: 'pending' }, { projection: { payload: 1 } }),
      );
      return found?.payload === undefined ? null : copyBytes(found.payload);
    },
  };
}
