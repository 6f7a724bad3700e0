/**
 * Channels with due work, and erasing what is finished. Not over records: a document has its message's due time as a field and an index by
 * age, where a file computes the one from two columns and has no index for the other.
 */
import type { Filter } from 'mongodb';
import type { DueWorkStore } from '../../due-work.ts';
import type { MongoContext } from '../collections.ts';
import type { MessageDocument } from '../documents.ts';
import { dropSlices } from './drop-slices.ts';

interface Identified {
  _id: string;
}

export function dueWorkStore(context: MongoContext): DueWorkStore {
  const { messages, deliveries, unmatched, retryPolicy } = context;
  return {
    serverTime: () => readServerTime(context),
    async channelsWithDueWork(now, limit, after = '') {
      const due = () => [
        { $match: { channelId: { $gt: after }, dueAt: { $gte: 0, $lte: now } } },
        // Sorted as the index is, so that the server can step from channel to channel instead of reading everything that is due.
        { $sort: { channelId: 1, dueAt: 1 } },
        { $group: { _id: '$channelId', dueAt: { $first: '$dueAt' } } },
        // Groups have no order, and the next sweep goes on behind the last one.
        { $sort: { _id: 1 } },
        { $limit: limit },
      ];
      const found = await Promise.all([
        retryPolicy.run('find due messages', () =>
          messages.aggregate<Identified>(due(), { hint: 'open' }).toArray(),
        ),
        retryPolicy.run('find due deliveries', () =>
          deliveries.aggregate<Identified>(due(), { hint: 'pending' }).toArray(),
        ),
        retryPolicy.run('find due facts', () =>
          unmatched.aggregate<Identified>(due(), { hint: 'due' }).toArray(),
        ),
      ]);
      return [...new Set(found.flat().map(({ _id }) => _id))].toSorted().slice(0, limit);
    },
    async channelsWithUntakenSends(limit) {
      const untaken = [
        { $match: { epoch: 0, dueAt: { $gte: 0 } } },
        { $group: { _id: '$channelId' } },
        { $limit: limit },
      ];
      const found = await retryPolicy.run('find untaken sends', () =>
        messages.aggregate<Identified>(untaken, { hint: 'untaken' }).toArray(),
      );
      return found.map(({ _id }) => _id);
    },
    async dropFinished(before, stopping) {
      const finishedMessages: Filter<MessageDocument> = {
        createdAt: { $lt: before },
        dueAt: { $exists: false },
        // Upstream's time of an echo may be any.
        $or: [{ attemptedAt: { $lt: before } }, { origin: 'echo' }],
      };
      const finishedDeliveries = { createdAt: { $lt: new Date(before) }, isFinished: true } as const;
      const dropped = await Promise.all([
        dropSlices(messages, finishedMessages, retryPolicy, stopping),
        dropSlices(deliveries, finishedDeliveries, retryPolicy, stopping),
      ]);
      await dropSlices(unmatched, { expiresAt: { $lt: new Date(before) } }, retryPolicy, stopping);
      return dropped.reduce((sum, count) => sum + count, 0);
    },
  };
}

async function readServerTime({ db, retryPolicy }: MongoContext): Promise<number | null> {
  const hello: { localTime?: unknown } = await retryPolicy.run('read the time', () =>
    db.command({ hello: 1 }),
  );
  return hello.localTime instanceof Date ? hello.localTime.getTime() : null;
}
