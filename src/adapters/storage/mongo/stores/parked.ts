/** Facts that wait for their channel's owner. Group-committed: while Redis is away they are all that comes in. */
import type { ParkedFacts, ParkedFactsStore } from '../../../../use-cases/ports/messages.ts';
import type { MongoContext } from '../collections.ts';
import { newToken } from '../commands.ts';
import type { NewDocument } from '../commands.ts';
import { bytesOf } from '../items.ts';

const sliceSize = 500;

interface Identified {
  _id: string;
}

export function parkedFactsStore({ parked, commitQueues, retryPolicy }: MongoContext): ParkedFactsStore {
  return {
    async park(facts) {
      await commitQueues.parked.add({ inserts: facts.map(documentOf) });
    },
    async channels(after, limit) {
      const found = await retryPolicy.run('find parked facts', () =>
        parked
          .aggregate<Identified>(
            [
              { $match: { channelId: { $gt: after } } },
              // Sorted as the index is: the server may step from channel to channel.
              { $sort: { channelId: 1, at: 1, _id: 1 } },
              { $group: { _id: '$channelId', at: { $first: '$at' } } },
              { $sort: { _id: 1 } },
              { $limit: limit },
            ],
            { hint: 'of_channel' },
          )
          .toArray(),
      );
      return found.map(({ _id }) => _id);
    },
    async ofChannel(channelId, limit) {
      const found = await retryPolicy.run('read parked facts', () =>
        parked.find({ channelId }).sort({ channelId: 1, at: 1, _id: 1 }).limit(limit).toArray(),
      );
      return found.map(({ _id: id, at, payload }) => ({ id, channelId, at, facts: bytesOf(payload) }));
    },
    async drop(ids) {
      await commitQueues.parked.add({ drops: ids });
    },
    async putAside(facts, now) {
      const updates = facts.map(({ id, channelId }) => ({
        id,
        q: { _id: id, channelId },
        u: { $set: { aside: now, asideOf: channelId }, $unset: { channelId: '' } },
      }));
      await commitQueues.parked.add({ facts: updates });
    },
    async bringBack(before) {
      for (let broughtBack = 0; ;) {
        const slice = await retryPolicy.run('find facts put aside', () =>
          parked
            .find({ aside: { $lt: before } }, { projection: { asideOf: 1 } })
            .limit(sliceSize)
            .toArray(),
        );
        if (slice.length === 0) return broughtBack;
        const updates = slice.map(({ _id: id, asideOf: channelId }) => ({
          id,
          q: { _id: id, aside: { $lt: before } },
          u: { $set: { channelId }, $unset: { aside: '', asideOf: '' } },
        }));
        await commitQueues.parked.add({ facts: updates });
        broughtBack += slice.length;
      }
    },
  };
}

function documentOf({ id, channelId, at, facts }: ParkedFacts): NewDocument {
  return { _id: id, channelId, at, payload: facts, token: newToken() };
}
