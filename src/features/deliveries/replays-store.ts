/** Replays of deliveries, as clients requested them. */
import type { ReplayStore } from './port.ts';
import { insertNew } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { hasRoom } from '../../storage/bounds.ts';
import { replays as replaysEntity } from './entity.ts';

export function replayStore(recordsOf: RecordsOf): ReplayStore {
  const replays = recordsOf(replaysEntity);
  const allOpen: ReplayStore['allOpen'] = (channelId, limit) =>
    replays.list({ by: 'open', equal: { channelId }, range: { on: 'openSince', from: 0 }, limit });
  return {
    async begin(replay, max) {
      await insertNew(replays, replay);
      const { id, channelId } = replay;
      if (await hasRoom({ id, max }, () => allOpen(channelId, max + 1))) return true;
      await replays.remove({ id });
      return false;
    },
    allOpen,
    open: async (channelId) => (await allOpen(channelId, 1))[0] ?? null,
    async end(id) {
      await replays.patch({ which: { id }, change: { set: { openSince: null } } });
    },
    channels: (after, limit) => replays.firsts('open', after, limit),
    async latest({ channelId, accountId }) {
      const [last] = await replays.list({
        by: 'ofChannel',
        equal: { channelId },
        isDescending: true,
        limit: 1,
      });
      return last?.accountId === accountId ? last : null;
    },
    dropOlder: (before, stopping) => replays.sweep({ on: 'createdAt', below: before }, stopping),
  };
}
