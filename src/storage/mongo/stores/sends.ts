/** Sent messages. Not over records: the insert belongs to the journal and goes through its queue. */
import type { MongoContext } from '../collections.ts';
import { Interrupted } from '../errors.ts';
import { makeInsert } from '../rules.ts';
import type { SendStore } from '../../sends.ts';

export function sendStore({ messages, commitQueues, retryPolicy, safely }: MongoContext): SendStore {
  return {
    async byUpstreamId(channelIds, upstreamId) {
      const which = { channelId: { $in: [...channelIds] }, upstreamIds: upstreamId };
      const found = await retryPolicy.run('find a message', () =>
        messages.findOne(which, { projection: { channelId: 1 }, hint: 'upstream_ids' }),
      );
      return found === null ? null : { channelId: found.channelId, messageId: found._id };
    },
    async insertUnlessTaken(message) {
      const { id, channelId, epoch, state, error, errorCode, createdAt } = message;
      // Ordered after the messages that owners stored, and among each other by time of request.
      const order = { firstEpoch: Number.MAX_SAFE_INTEGER, arrival: createdAt };
      const insert = { does: 'insert', to: 'messages', item: message } as const;
      const { inserted } = await commitQueues.messages.add({
        inserts: [makeInsert(channelId, epoch, insert, order)],
      });
      if (inserted[0] === true) return { state, error, errorCode };
      return retryPolicy.run('read a settled send', async () => {
        const found = await messages.findOne({ _id: id, channelId }, safely);
        // The owner's insert won, but no majority has it yet: a failover could still roll it back.
        if (found === null) throw new Interrupted(noMajorityYet);
        return { state: found.state, error: found.error ?? null, errorCode: found.errorCode ?? null };
      });
    },
  };
}

/** Error code `ReadConcernMajorityNotAvailableYet`. */
const noMajorityYet = 134;
