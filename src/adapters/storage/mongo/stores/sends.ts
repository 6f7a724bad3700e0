/** What stands for a send whose owner vanished. */
import type { SendStore } from '../../../../use-cases/ports/messages.ts';
import type { MongoContext } from '../collections.ts';
import { Interrupted } from '../errors.ts';
import { newMessage } from '../writes/messages.ts';

export function sendStore({ messages, commitQueues, retryPolicy, safely }: MongoContext): SendStore {
  return {
    async insertUnlessTaken(message) {
      const { id, channelId, epoch, state, error, errorCode, createdAt } = message;
      const document = newMessage(channelId, epoch, message);
      const { inserted } = await commitQueues.messages.add({
        // Asked for after what owners have on record; among each other as their clients asked.
        inserts: [{ ...document, firstEpoch: Number.MAX_SAFE_INTEGER, arrival: createdAt }],
      });
      if (inserted[0] === true) return { state, error, errorCode };
      return retryPolicy.run('read a settled send', async () => {
        const found = await messages.findOne({ _id: id, channelId }, safely);
        // The owner's insert refused ours and no majority has it yet: a fail-over could still take it back.
        if (found === null) throw new Interrupted(noMajorityYet);
        return { state: found.state, error: found.error ?? null, errorCode: found.errorCode ?? null };
      });
    },
  };
}

/** `ReadConcernMajorityNotAvailableYet`. */
const noMajorityYet = 134;
