/** Sent messages: reads of their index by upstream's ids. */
import type { SendStore } from '../../sends.ts';
import { packId, unpackId } from '../packed-ids.ts';
import type { Reader } from '../reader.ts';
import type { Value } from '../sqlite.ts';
import type { WriterThread } from '../writer-thread.ts';

export function sendStore(reader: Reader, writer: WriterThread): SendStore {
  const find = reader.query<{ messageId: Value }>(
    'select message_id as messageId from message_upstream_ids where channel_id = ? and upstream_id = ?',
  );
  return {
    async byUpstreamId(channelIds, upstreamId) {
      for (const channelId of channelIds) {
        const found = find.get(packId(channelId), upstreamId);
        if (found !== undefined) return { channelId, messageId: unpackId(found.messageId) };
      }
      return null;
    },
    insertUnlessTaken: (message) => writer.call('settleSend', message),
  };
}
