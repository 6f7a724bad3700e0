/** What a channel's owner reads and writes. */
import type { Collection } from 'mongodb';
import { maxUnmatched } from '../../../../../actors/channel/ports.ts';
import type {
  ChannelStore,
  Claim,
  KnownMessage,
  SealedUnmatchedFact,
} from '../../../../../actors/channel/ports.ts';
import { FencedError } from '../../../../kernel/faults.ts';
import type { MongoContext, OpenDocument } from '../collections.ts';
import { committer } from '../commit.ts';
import { gather } from '../gather.ts';
import { payer } from '../owed.ts';
import type { IsFenced } from '../commit.ts';
import {
  bytesOf,
  channelOf,
  unmatchedOf,
  knownFields,
  knownOf,
  messageOf,
  pendingOf,
  subscriptionOf,
} from '../documents.ts';
import type { KnownDocument, MessageDocument } from '../documents.ts';

export function channelStateStore(context: MongoContext): ChannelStore {
  const { messages, unmatched, retryPolicy, safely, commitQueues } = context;
  const newestUnmatched = newestUnmatchedOf(context);
  const reads = deliveryReads(context);
  const raise = raiser(context);
  const whatIsLeft = leftBehind(context);
  const pay = payer(context);

  return {
    settings: settingsOf(context),
    ...messageReads(context),
    ...reads,
    async load(channelId, epoch, now, limit) {
      const left = await whatIsLeft(channelId);
      if ((left?.epoch ?? 0) > epoch) throw outdated(channelId, epoch);
      if (left?.owed === true) await pay(channelId);
      if (left?.messages === true || left?.deliveries === true) await raise(channelId, epoch);
      const [open, facts, pending] = await Promise.all([
        left?.messages === true
          ? retryPolicy.run('load messages', () =>
              messages.find({ channelId, dueAt: { $gte: 0 } }, safely).toArray(),
            )
          : [],
        left?.unmatched === true ? newestUnmatched(channelId, now) : [],
        left?.deliveries === true ? reads.pendingDeliveries(channelId, limit + 1) : [],
      ]);
      return {
        openMessages: open.toSorted(byArrival).map(messageOf),
        unmatched: facts,
        hasPendingInbound: left?.inbound === true,
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
      return found.map(unmatchedOf);
    },
    commit: committer(commitQueues, fence(context)),
  };
}

/** Whatever was gathered is answered at once: the server's own first batch is 101 documents. */
const wholeBatch = 1_000;

/** Read in batches: thousands in one would hold up other channels. */
const factsPerBatch = 250;

/** The oldest of them first. */
function newestUnmatchedOf({ unmatched, retryPolicy, safely }: MongoContext) {
  return async function newestUnmatched(channelId: string, now: number): Promise<SealedUnmatchedFact[]> {
    const waiting = { channelId, expiresAt: { $gt: new Date(now) }, dueAt: { $exists: false } };
    const found = await retryPolicy.run('load unmatched facts', () =>
      unmatched
        .find(waiting, { ...safely, batchSize: factsPerBatch })
        .sort({ expiresAt: -1 })
        .limit(maxUnmatched)
        .toArray(),
    );
    return found.map(unmatchedOf).toSorted((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1));
  };
}

interface Left {
  /** Of the last owner; 0: never owned. */
  epoch: number;
  messages: boolean;
  deliveries: boolean;
  unmatched: boolean;
  inbound: boolean;
  /** Facts that only its deliveries carry. */
  owed: boolean;
}

/**
 * What a channel's next owner has to look at, asked for many channels at once: most have nothing open, and a takeover of a
 * thousand must not cost ten queries each.
 */
function leftBehind({
  owners,
  messages,
  deliveries,
  unmatched,
  retryPolicy,
  safely,
}: MongoContext): (channelId: string) => Promise<Left | undefined> {
  return gather(async (channelIds) => {
    const among = { channelId: { $in: channelIds } };
    const open = { ...among, dueAt: { $gte: 0 } };
    const [owned, sends, posts, facts, received, owed] = await retryPolicy.run('look for what is left', () =>
      Promise.all([
        owners
          .find({ _id: { $in: channelIds } }, { ...safely, batchSize: wholeBatch, projection: { epoch: 1 } })
          .toArray(),
        messages.distinct('channelId', open, safely),
        deliveries.distinct('channelId', open, safely),
        unmatched.distinct('channelId', among, safely),
        unmatched.distinct('channelId', open, safely),
        deliveries
          .aggregate<{ _id: string }>(
            [{ $match: { ...among, owes: { $exists: true } } }, { $group: { _id: '$channelId' } }],
            { ...safely, hint: 'owing' },
          )
          .toArray(),
      ]),
    );
    const epochs = new Map(owned.map(({ _id, epoch }) => [_id, epoch]));
    const [withSends, withPosts, withFacts] = [new Set(sends), new Set(posts), new Set(facts)];
    const [withInbound, withOwed] = [new Set(received), new Set(owed.map(({ _id }) => _id))];
    return new Map(
      channelIds.map((id) => [
        id,
        {
          epoch: epochs.get(id) ?? 0,
          messages: withSends.has(id),
          deliveries: withPosts.has(id),
          unmatched: withFacts.has(id),
          inbound: withInbound.has(id),
          owed: withOwed.has(id),
        },
      ]),
    );
  });
}

function outdated(channelId: string, epoch: number): FencedError {
  return new FencedError(`channel ${channelId}: epoch ${epoch} is not the highest`);
}

function byArrival(a: MessageDocument, b: MessageDocument): number {
  return a.firstEpoch - b.firstEpoch || a.arrival - b.arrival;
}

/** Documents per update of an epoch: a dead endpoint may have a million pending. */
const sliceSize = 1_000;

/**
 * Raises the epoch on what is open. Throws FencedError when a higher one stands there: nothing is raised then. The owner's own
 * document was read with what is left; reading it again would only narrow the time in which another owner may come, and one who
 * comes later raises what this one raised.
 */
function raiser({ open, retryPolicy, safely }: MongoContext) {
  async function isOutdated(channelId: string, epoch: number): Promise<boolean> {
    const higher = { epoch: { $gt: epoch } };
    const found = await Promise.all(
      open.map((kind) => kind.findOne({ channelId, dueAt: { $gte: 0 }, ...higher }, safely)),
    );
    return found.some((each) => each !== null);
  }

  async function lowerOf(
    kind: Collection<OpenDocument>,
    channelId: string,
    epoch: number,
  ): Promise<string[]> {
    const lower = await kind
      .find({ channelId, dueAt: { $gte: 0 }, epoch: { $lt: epoch } }, { ...safely, projection: { _id: 1 } })
      .limit(sliceSize)
      .toArray();
    return lower.map(({ _id }) => _id);
  }

  return async function raise(channelId: string, epoch: number): Promise<void> {
    const [higher, ...slices] = await retryPolicy.run('read epochs', () =>
      Promise.all([isOutdated(channelId, epoch), ...open.map((kind) => lowerOf(kind, channelId, epoch))]),
    );
    if (higher) throw outdated(channelId, epoch);
    await Promise.all(
      open.map(async (kind, at) => {
        let lower = slices[at] ?? [];
        while (lower.length > 0) {
          const ids = lower;
          await retryPolicy.run('raise epochs', () =>
            kind.updateMany({ _id: { $in: ids }, epoch: { $lt: epoch } }, { $set: { epoch } }),
          );
          if (lower.length < sliceSize) return;
          lower = await retryPolicy.run('read epochs', () => lowerOf(kind, channelId, epoch));
        }
      }),
    );
  };
}

/** A claim that missed: for its state, or because a higher epoch was minted or stored? */
function fence({ messages, deliveries, owners, retryPolicy, safely }: MongoContext): IsFenced {
  return async (channelId, epoch, claims) => {
    const higher = { channelId, epoch: { $gt: epoch } };
    const found = await retryPolicy.run('read epochs', () =>
      Promise.all([
        owners.findOne({ _id: channelId, epoch: { $gt: epoch } }, safely),
        messages.findOne({ _id: { $in: claims.flatMap(messageIdOf) }, ...higher }, safely),
        deliveries.findOne({ _id: { $in: claims.flatMap(deliveryIdOf) }, ...higher }, safely),
      ]),
    );
    return found.some((each) => each !== null);
  };
}

const messageIdOf = (claim: Claim) => (claim.write === 'claimCopy' ? [claim.messageId] : []);
const deliveryIdOf = (claim: Claim) => (claim.write === 'claimDelivery' ? [claim.deliveryId] : []);

function settingsOf({ channels, subscriptions, retryPolicy }: MongoContext): ChannelStore['settings'] {
  const channelById = gather(async (ids) => {
    const connected = { _id: { $in: ids }, connectedAt: { $exists: true } };
    const found = await retryPolicy.run('read channels', () =>
      channels.find(connected, { batchSize: wholeBatch }).toArray(),
    );
    return new Map(found.map((channel) => [channel._id, channel]));
  });
  const licenceById = gather(async (ids) => {
    const found = await retryPolicy.run('read licences', () =>
      subscriptions.find({ _id: { $in: ids } }, { batchSize: wholeBatch }).toArray(),
    );
    return new Map(found.map((licence) => [licence._id, licence]));
  });
  return async function settings(channelId) {
    const found = await channelById(channelId);
    if (found === undefined) return null;
    const bound = found.subscriptionId === undefined ? undefined : await licenceById(found.subscriptionId);
    return { channel: channelOf(found), subscription: bound === undefined ? null : subscriptionOf(bound) };
  };
}

function messageReads({
  messages,
  retryPolicy,
}: MongoContext): Pick<ChannelStore, 'findMessages' | 'findBelowRank'> {
  const fields = { projection: knownFields };
  return {
    async findMessages(channelId, { ids, upstreamIds }) {
      const read = (filter: object) =>
        messages.find<KnownDocument>({ ...filter, channelId }, fields).toArray();
      const none: KnownDocument[] = [];
      const found = await retryPolicy.run('find messages', () =>
        Promise.all([
          ids.length === 0 ? none : read({ _id: { $in: ids } }),
          upstreamIds.length === 0 ? none : read({ upstreamIds: { $in: upstreamIds } }),
        ]),
      );
      const known = new Map<string, KnownMessage>();
      for (const document of found.flat()) known.set(document._id, knownOf(document));
      return [...known.values()];
    },
    async findBelowRank(channelId, { recipient, belowRank, upTo, limit }) {
      const rank = { $lt: Math.min(belowRank, 3) }; // within the index, which has no read ones
      const found = await retryPolicy.run('find unread messages', () =>
        messages
          .find<KnownDocument>(
            { channelId, recipient, attemptedAt: { $lte: upTo }, state: 'sent', rank },
            fields,
          )
          .sort({ attemptedAt: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(knownOf);
    },
  };
}

function deliveryReads({
  deliveries,
  retryPolicy,
  safely,
}: MongoContext): Pick<ChannelStore, 'pendingDeliveries' | 'deliveryPayload' | 'findDeliveries'> {
  return {
    async pendingDeliveries(channelId, limit) {
      const found = await retryPolicy.run('find pending deliveries', () =>
        deliveries
          .find({ channelId, dueAt: { $gte: 0 } }, { ...safely, projection: { payload: 0 } })
          .sort({ dueAt: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(pendingOf);
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
      return found?.payload === undefined ? null : bytesOf(found.payload);
    },
  };
}
