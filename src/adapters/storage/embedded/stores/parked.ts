/** Facts that wait for their channel's owner. */
import type { ParkedFacts, ParkedFactsStore } from '../../../../use-cases/ports/messages.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { parkedFacts } from '../tables.ts';
import type { Row } from '../table.ts';
import { exact } from '../exact-bytes.ts';

export function parkedFactsStore(reader: Reader, writer: WriterThread): ParkedFactsStore {
  // From channel to channel along the index: one with a million parked facts costs one step.
  const next = reader.query<{ channel_id: string }>(
    'select channel_id from parked_facts where channel_id > ? order by channel_id limit 1',
  );
  const shown = parkedFacts.pick('id', 'channelId', 'at', 'facts');
  const oldest = reader.query<Row<ParkedFacts>>(
    `select ${shown.list} from parked_facts where channel_id = ? order by at, id limit ?`,
  );
  return {
    park: (parked) =>
      writer.call(
        'parkFacts',
        parked.map((each) => ({ ...each, facts: exact(each.facts) })),
      ),
    async channels(after, limit) {
      const found: string[] = [];
      for (let row = next.get(after); row !== undefined; row = next.get(row.channel_id)) {
        found.push(row.channel_id);
        if (found.length >= limit) break;
      }
      return found;
    },
    ofChannel: async (channelId, limit) => oldest.all(channelId, limit).map(shown.of),
    drop: (ids) => writer.call('dropParked', ids),
    putAside: (parked, now) =>
      writer.call(
        'putAsideParked',
        parked.map(({ id }) => id),
        now,
      ),
    async bringBack(before) {
      for (let broughtBack = 0; ;) {
        const slice = await writer.call('bringBackParkedSlice', before);
        if (slice === 0) return broughtBack;
        broughtBack += slice;
      }
    },
  };
}
