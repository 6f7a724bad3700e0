/** How channels fare. */
import type { ChannelHealth } from '../../../../domain/channels/health.ts';
import type { HealthStore } from '../../../../use-cases/ports/health.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { channelHealth } from '../tables.ts';
import type { Row } from '../table.ts';

export function channelHealthStore(reader: Reader, writer: WriterThread): HealthStore {
  const one = reader.query<Row<ChannelHealth>>(
    `select ${channelHealth.list} from channel_health where channel_id = ?`,
  );
  const select = `select ${channelHealth.list} from channel_health`;
  const failing = reader.query<Row<ChannelHealth>>(
    `${select} where failing_since is not null order by failing_since, channel_id limit ?`,
  );
  const among = reader.query<Row<ChannelHealth>>(
    `${select} where channel_id in (select value from json_each(?)) and failing_since is not null`,
  );
  return {
    async of(channelId) {
      const row = one.get(channelId);
      return row === undefined ? null : channelHealth.of(row);
    },
    async ofAll(channelIds) {
      return channelIds.flatMap((channelId) => one.all(channelId)).map(channelHealth.of);
    },
    noteUpstream: (channelId, state, checkedAt) =>
      writer.call('noteUpstreamState', channelId, state, checkedAt),
    noteActivity: (seen) => writer.call('noteActivity', seen),
    failing: async (limit) => failing.all(limit).map(channelHealth.of),
    failingAmong: async (ids) => among.all(JSON.stringify(ids)).map(channelHealth.of),
  };
}
