import { toIso } from '../../kernel/clock.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { listDeliveries, readDelivery } from './log.ts';
import { listAccountDeliveries } from './list-all.ts';
import { missedEvents } from './missed.ts';
import { replayDeliveries, replayProgress, retryDelivery } from './replay.ts';
import { countKept, replayAll, replaysProgress, retryDeliveries } from './replay-all.ts';
import { testWebhook } from './test-webhook.ts';
import type { AskedReplay } from './types.ts';
import type { Shown } from '../audit/entity.ts';

/** Retries and replays are audited, because the receiver gets events again: the log shows who caused it, operators above all. */
export const deliveryUseCases = {
  ...unrecorded('reads', {
    countKept,
    listAccountDeliveries,
    listDeliveries,
    missedEvents,
    readDelivery,
    replayProgress,
    replaysProgress,
  }),
  ...unrecorded('traffic', { testWebhook }),
  retryDelivery: audited(retryDelivery, {
    action: 'delivery.tried-again',
    isTrafficOfKeys: true,
    after: (_deps, _answer, { accountId }, channelId, deliveryId) => ({
      accountId,
      subject: deliveryId,
      shown: { channel_id: channelId },
    }),
  }),
  retryDeliveries: audited(retryDeliveries, {
    action: 'deliveries.tried-again',
    isTrafficOfKeys: true,
    isDone: ({ begun }) => begun > 0,
    after: (_deps, { begun, left }, { accountId }) => ({ accountId, subject: null, shown: { begun, left } }),
  }),
  replayDeliveries: audited(replayDeliveries, {
    action: 'deliveries.replayed',
    isTrafficOfKeys: true,
    isDone: ({ replaying }) => replaying > 0,
    after: (_deps, { replaying }, { accountId }, channelId, asked) => ({
      accountId,
      subject: channelId,
      shown: replayShown(asked, replaying),
    }),
  }),
  replayAll: audited(replayAll, {
    action: 'deliveries.replayed',
    isTrafficOfKeys: true,
    isDone: ({ begun }) => begun > 0,
    after: (_deps, { begun }, { accountId }, channelId, asked) => ({
      accountId,
      subject: channelId,
      shown: replayShown(asked, begun),
    }),
  }),
};

function replayShown({ since, until, events }: AskedReplay, begun: number): Shown {
  return { since: toIso(since), until: toIso(until), events: events?.join(' ') ?? null, begun };
}
