/**
 * What a channel's next owner must load, read for many channels at once: most have nothing open, and a takeover of a thousand channels must
 * not cost ten queries each. For channels with little left, the documents are listed, so that no second query is needed.
 */
import type { Collection } from 'mongodb';
import { groupBy } from '../../../kernel/group-by.ts';
import type { MongoContext, OpenDocument } from '../collections.ts';
import { batchReads, wholeBatch } from '../batch-reads.ts';

/** Id and epoch of each open document of a channel; `many`: there are some, to be read separately. */
export type OpenDocuments = readonly Pick<OpenDocument, '_id' | 'epoch'>[] | 'many';

export interface OpenWork {
  /** Epoch of the last owner; 0 if the channel was never owned. */
  epoch: number;
  messages: OpenDocuments;
  deliveries: OpenDocuments;
  unmatched: boolean;
  inbound: boolean;
  /** Whether deliveries of the channel carry facts that may not be on their messages. */
  pendingUpdates: boolean;
}

export const noOpenWork: OpenWork = {
  epoch: 0,
  messages: [],
  deliveries: [],
  unmatched: false,
  inbound: false,
  pendingUpdates: false,
};

export function hasSome(open: OpenDocuments): boolean {
  return open.length > 0;
}

/** Documents that one query lists, for all its channels together. If there are more, it only asks which channels have some. */
const maxNamed = 250;
const page = { limit: maxNamed + 1, batchSize: maxNamed + 1 };

export function openWorkReader(context: MongoContext): (channelId: string) => Promise<OpenWork | undefined> {
  const { owners, retryPolicy, safely } = context;
  return batchReads(async (channelIds) => {
    const [owned, [messages, deliveries], facts, pendingUpdates] = await retryPolicy.run(
      'look for what is left',
      () =>
        Promise.all([
          owners
            .find(
              { _id: { $in: channelIds } },
              { ...safely, batchSize: wholeBatch, projection: { epoch: 1 } },
            )
            .toArray(),
          Promise.all(context.open.map((kind) => findOpen(context, kind, channelIds))),
          findUnmatched(context, channelIds),
          findPendingUpdates(context, channelIds),
        ]),
    );
    const epochs = new Map(owned.map(({ _id, epoch }) => [_id, epoch]));
    return new Map(
      channelIds.map((id) => [
        id,
        {
          epoch: epochs.get(id) ?? 0,
          messages: messages?.get(id) ?? [],
          deliveries: deliveries?.get(id) ?? [],
          unmatched: facts.all.has(id),
          inbound: facts.inbound.has(id),
          pendingUpdates: pendingUpdates.has(id),
        },
      ]),
    );
  });
}

async function findOpen(
  { safely }: MongoContext,
  kind: Collection<OpenDocument>,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, OpenDocuments>> {
  const open = { channelId: { $in: channelIds }, dueAt: { $gte: 0 } };
  const projection = { channelId: 1, epoch: 1 };
  const found = await kind.find(open, { ...safely, ...page, projection }).toArray();
  if (found.length > maxNamed) {
    const some = await kind.distinct('channelId', open, safely);
    return new Map(some.map((channelId) => [channelId, 'many']));
  }
  return groupBy(found, ({ channelId }) => channelId);
}

async function findUnmatched(
  { unmatched, safely }: MongoContext,
  channelIds: readonly string[],
): Promise<{ all: ReadonlySet<string>; inbound: ReadonlySet<string> }> {
  const among = { channelId: { $in: channelIds } };
  const projection = { channelId: 1, dueAt: 1 };
  const found = await unmatched.find(among, { ...safely, ...page, projection }).toArray();
  if (found.length <= maxNamed) {
    const inbound = found.filter(({ dueAt }) => dueAt !== undefined);
    return { all: collectChannelIds(found), inbound: collectChannelIds(inbound) };
  }
  const [all, inbound] = await Promise.all([
    unmatched.distinct('channelId', among, safely),
    unmatched.distinct('channelId', { ...among, dueAt: { $gte: 0 } }, safely),
  ]);
  return { all: new Set(all), inbound: new Set(inbound) };
}

async function findPendingUpdates(
  { deliveries, safely }: MongoContext,
  channelIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const pendingUpdates = { channelId: { $in: channelIds }, owes: { $exists: true } };
  const how = { ...safely, hint: 'owing' };
  const found = await deliveries
    .find(pendingUpdates, { ...how, ...page, projection: { channelId: 1 } })
    .toArray();
  if (found.length <= maxNamed) return collectChannelIds(found);
  const some = await deliveries
    .aggregate<{ _id: string }>([{ $match: pendingUpdates }, { $group: { _id: '$channelId' } }], how)
    .toArray();
  return new Set(some.map(({ _id }) => _id));
}

function collectChannelIds(found: readonly { channelId: string }[]): ReadonlySet<string> {
  return new Set(found.map(({ channelId }) => channelId));
}
