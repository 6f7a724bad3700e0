/** What stands for a send whose owner vanished. */
import type { SendStore } from '../../../../use-cases/ports.ts';
import type { Ground } from '../collections.ts';
import { Interrupted } from '../errors.ts';
import { newMessage } from '../writes/messages.ts';

export function sendStore({ messages, lanes, patience, safely }: Ground): SendStore {
  return {
    async settle(marker) {
      const { id, channelId, epoch, state, error, errorCode } = marker;
      const { inserted } = await lanes.messages.add({ inserts: [newMessage(channelId, epoch, marker)] });
      if (inserted[0] === true) return { state, error, errorCode };
      return patience.run('read a settled send', async () => {
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
