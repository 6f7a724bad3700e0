/** How channels fare. Every write may be repeated: the last state stands, and times only move forward. */
import type { AnyBulkWriteOperation } from 'mongodb';
import { unknownHealth } from '../../../../domain/channels/health.ts';
import type { ChannelHealth } from '../../../../domain/channels/health.ts';
import type { Activity, HealthStore } from '../../../../use-cases/ports/health.ts';
import type { HealthDocument, MongoContext } from '../collections.ts';
import { present } from '../documents.ts';

export function channelHealthStore({ channelHealth, retryPolicy }: MongoContext): HealthStore {
  return {
    async of(channelId) {
      const found = await retryPolicy.run('read the health of a channel', () =>
        channelHealth.findOne({ _id: channelId }),
      );
      return found === null ? null : healthOf(found);
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
      for (const updates of stepsOf(seen)) {
        if (updates.length === 0) continue;
        await retryPolicy.run('note the activity of channels', () =>
          channelHealth.bulkWrite(updates, { ordered: false }),
        );
      }
    },
    async failing(limit) {
      const found = await retryPolicy.run('list failing channels', () =>
        channelHealth
          .find({ failingSince: { $gt: 0 } })
          .sort({ failingSince: 1, _id: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(healthOf);
    },
    async failingAmong(channelIds) {
      const found = await retryPolicy.run('look for failing channels', () =>
        channelHealth.find({ _id: { $in: [...channelIds] }, failingSince: { $gt: 0 } }).toArray(),
      );
      return found.map(healthOf);
    },
  };
}

type Step = AnyBulkWriteOperation<HealthDocument>[];

/** Times first, then who works again, then who fails since now: each step may be repeated. */
function stepsOf(seen: readonly Activity[]): Step[] {
  const times: Step = [];
  const over: Step = [];
  const begun: Step = [];
  for (const { channelId: _id, failingSince, lastFailure, ...moments } of seen) {
    const set = lastFailure === undefined ? {} : { $set: { lastFailure } };
    times.push({ updateOne: { filter: { _id }, update: { $max: present(moments), ...set }, upsert: true } });
    const { deliveredAt } = moments;
    if (deliveredAt !== undefined) {
      const filter = { _id, failingSince: { $lte: deliveredAt } };
      over.push({ updateOne: { filter, update: { $unset: { failingSince: '' } } } });
    }
    if (failingSince !== undefined) {
      const filter = { _id, failingSince: { $exists: false } };
      begun.push({ updateOne: { filter, update: { $set: { failingSince } } } });
    }
  }
  return [times, over, begun];
}

function healthOf({ _id: channelId, ...known }: HealthDocument): ChannelHealth {
  return { ...unknownHealth(channelId), ...known };
}
