/** Health of channels. Every write may be repeated: the last state wins, and times only move forward. */
import { unknownHealth } from '../../../domain/channels/health.ts';
import type { ChannelHealth } from '../../../domain/channels/health.ts';
import type { Activity, HealthStore } from '../../../use-cases/ports/health.ts';
import type { Patch, RecordsOf } from '../records.ts';

export function channelHealthStore(recordsOf: RecordsOf): HealthStore {
  const health = recordsOf('channelHealth');
  return {
    of: (channelId) => health.one({ channelId }),
    ofAll: (channelIds) => health.some(channelIds),
    noteUpstream: (channelId, state, checkedAt) =>
      health.upsertEach([{ ...unknownHealth(channelId), ...state, checkedAt }], {
        token: 'put',
        isSubscribed: 'put',
        qualityRating: 'put',
        checkedAt: 'put',
      }),
    /** First the times, then recoveries, then new failures: each step may be repeated. */
    async noteActivity(seen) {
      await health.upsertEach(seen.map(toHealth), {
        inboundAt: 'max',
        statusAt: 'max',
        deliveredAt: 'max',
        deliveryFailedAt: 'max',
        warnedAt: 'max',
        lastFailure: 'given',
      });
      await health.patchEach(seen.flatMap(recovery));
      await health.patchEach(seen.flatMap(firstFailure));
    },
    failing: (limit) => health.list({ by: 'failing', limit }),
    refused: (limit) => health.list({ by: 'byToken', equal: { token: 'refused' }, limit }),
    failingAmong: async (channelIds) =>
      (await health.some(channelIds)).filter(({ failingSince }) => failingSince !== null),
  };
}

function toHealth(activity: Activity): ChannelHealth {
  return { ...unknownHealth(activity.channelId), ...activity, failingSince: null };
}

function recovery({ channelId, deliveredAt }: Activity): Patch<ChannelHealth>[] {
  if (deliveredAt === undefined || deliveredAt === null) return [];
  const range = { on: 'failingSince', upTo: deliveredAt } as const;
  return [{ which: { channelId }, range, change: { set: { failingSince: null } } }];
}

function firstFailure({ channelId, failingSince }: Activity): Patch<ChannelHealth>[] {
  if (failingSince === undefined || failingSince === null) return [];
  return [{ which: { channelId, failingSince: null }, change: { set: { failingSince } } }];
}
