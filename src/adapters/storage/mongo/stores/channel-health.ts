/** How channels fare. Every write may be repeated: the last state stands, and times only move forward. */
import { unknownHealth } from '../../../../domain/channels/health.ts';
import type { HealthStore } from '../../../../use-cases/ports/health.ts';
import type { MongoContext } from '../collections.ts';
import { present } from '../documents.ts';

export function channelHealthStore({ channelHealth, retryPolicy }: MongoContext): HealthStore {
  return {
    async of(channelId) {
      const found = await retryPolicy.run('read the health of a channel', () =>
        channelHealth.findOne({ _id: channelId }),
      );
      if (found === null) return null;
      const { _id, ...known } = found;
      return { ...unknownHealth(channelId), ...known };
    },
    async ofAll(channelIds) {
      const found = await retryPolicy.run('read the health of channels', () =>
        channelHealth.find({ _id: { $in: [...channelIds] } }).toArray(),
      );
      return found.map(({ _id, ...known }) => ({ ...unknownHealth(_id), ...known }));
    },
    async noteUpstream(channelId, { token, isSubscribed, qualityRating }, checkedAt) {
      await retryPolicy.run('note what upstream says of a channel', () =>
        channelHealth.updateOne(
          { _id: channelId },
          { $set: { token, isSubscribed, qualityRating, checkedAt } },
          { upsert: true },
        ),
      );
    },
    async noteActivity(seen) {
      if (seen.length === 0) return;
      const updates = seen.map(({ channelId, ...times }) => ({
        updateOne: { filter: { _id: channelId }, update: { $max: present(times) }, upsert: true },
      }));
      await retryPolicy.run('note the activity of channels', () =>
        channelHealth.bulkWrite(updates, { ordered: false }),
      );
    },
  };
}
