/** What nobody understood. A write that is tried again may count its items twice: they are samples. */
import type { QuarantinedItem, QuarantineStore } from '../../../../use-cases/ports/operating.ts';
import type { MongoContext } from '../collections.ts';
import { stored } from '../documents.ts';
import type { Stored } from '../documents.ts';
import { pageOf } from './paging.ts';

export function quarantineStore({ quarantine, retryPolicy }: MongoContext): QuarantineStore {
  return {
    async add(items) {
      for (const item of items) {
        const { _id, times, lastSeenAt, ...rest } = stored(item);
        await retryPolicy.run('quarantine an item', () =>
          quarantine.updateOne(
            { _id },
            { $inc: { times }, $max: { lastSeenAt }, $setOnInsert: rest },
            { upsert: true },
          ),
        );
      }
    },
    list: (page) => retryPolicy.run('list the quarantine', () => pageOf(quarantine, {}, page, -1, itemOf)),
    async find(id) {
      const found = await retryPolicy.run('find a quarantined item', () => quarantine.findOne({ _id: id }));
      return found === null ? null : itemOf(found);
    },
    async drop(id) {
      const { deletedCount } = await retryPolicy.run('drop a quarantined item', () =>
        quarantine.deleteOne({ _id: id }),
      );
      return deletedCount > 0;
    },
    async trim(max, before) {
      const [firstTooMany] = await retryPolicy.run('look over the quarantine', () =>
        quarantine
          .find({ lastSeenAt: { $gte: 0 } }, { projection: { lastSeenAt: 1 } })
          .sort({ lastSeenAt: -1 })
          .skip(max)
          .limit(1)
          .toArray(),
      );
      const upTo = Math.max(firstTooMany?.lastSeenAt ?? -1, before - 1);
      const { deletedCount } = await retryPolicy.run('trim the quarantine', () =>
        quarantine.deleteMany({ lastSeenAt: { $lte: upTo } }),
      );
      return deletedCount;
    },
  };
}

function itemOf(d: Stored<QuarantinedItem>): QuarantinedItem {
  const {
    _id: id,
    channelType = null,
    channelId = null,
    accountId = null,
    identity = null,
    sealed = null,
    ...rest
  } = d;
  return { id, channelType, channelId, accountId, identity, sealed, ...rest };
}
