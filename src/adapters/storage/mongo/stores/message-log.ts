/** What became of a message: its record, without what it says. */
import type { Filter } from 'mongodb';
import type { MessageLogStore } from '../../../../use-cases/ports/message-log.ts';
import type { MongoContext } from '../collections.ts';
import { toMessageRecord } from '../documents.ts';
import type { MessageDocument } from '../documents.ts';

const fields = { projection: { content: 0, token: 0 } } as const;

export function messageLogStore({ messages, retryPolicy }: MongoContext): MessageLogStore {
  async function one(which: Filter<MessageDocument>) {
    const found = await retryPolicy.run('read a message', () => messages.findOne(which, fields));
    return found === null ? null : toMessageRecord(found);
  }
  return {
    find: ({ id, channelId, accountId }) => one({ _id: id, channelId, accountId }),
    byId: (id) => one({ _id: id }),
  };
}
