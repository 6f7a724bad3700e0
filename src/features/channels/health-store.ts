/** Health of channels. Every write may be repeated: the last state wins, and times only move forward. */
import { unknownHealth } from '../../rules/channels/health.ts';
import type { ChannelHealth, UpstreamState } from '../../rules/channels/health.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Patch, Records, RecordsOf } from '../../storage/records.ts';
import { changeHealth } from './change-health.ts';
import { channelHealth } from './entity.ts';
import { problemsIn, untoldIn } from './problems-store.ts';

export function channelHealthStore(recordsOf: RecordsOf) {
  const health = recordsOf(channelHealth);
  return {
    /** null if nothing was ever recorded. */
    of: (channelId: string): Promise<ChannelHealth | null> => health.one({ channelId }),
    /** Records of these channels, unordered; channels without a record are missing. */
    ofAll: (channelIds: readonly string[]): Promise<ChannelHealth[]> => health.some(channelIds),
    /** Replaces the state of the previous check. `quality`: as the channel's profile has it, for a record that lacks it. */
    noteUpstream: (
      channelId: string,
      state: UpstreamState,
      checkedAt: number,
      quality: string | null = null,
    ): Promise<void> => changeHealth(health, channelId, checkedAt, () => ({ ...state, checkedAt }), quality),
    /**
     * A stored time never moves back, in whatever order the nodes write. `failingSince` is the first failure after the last success.
     * First the times, then recoveries, then new failures: each step may be repeated.
     */
    async noteActivity(seen: readonly Activity[]): Promise<void> {
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
    /** Channels with failing deliveries, longest failing first; the first `limit` after that one. */
    failing: (limit: number, last?: LastFailing): Promise<ChannelHealth[]> =>
      health.list({ by: 'failing', ...afterFailing(last), limit }),
    /** Those failing since this time (ms) or longer, the longest first; the first `limit` after that one. */
    failingUntil: (upTo: number, limit: number, last?: LastFailing): Promise<ChannelHealth[]> =>
      health.list({
        by: 'failing',
        range: { on: 'failingSince', from: 0, upTo },
        ...afterFailing(last),
        limit,
      }),
    /** Channels whose token upstream refused at the last check. */
    refused: (limit: number): Promise<ChannelHealth[]> =>
      health.list({ by: 'byToken', equal: { token: 'refused' }, limit }),
    /** Channels with failing deliveries among these. */
    failingAmong: async (channelIds: readonly string[]): Promise<ChannelHealth[]> =>
      (await health.some(channelIds)).filter(({ failingSince }) => failingSince !== null),
    /** What failed before counts no more. */
    async forgetFailing(channelId: string): Promise<void> {
      await health.patchEach([{ which: { channelId }, change: { set: { failingSince: null } } }]);
    },
    /** Of an endpoint that is gone. */
    async forget(channelId: string): Promise<void> {
      await health.remove({ channelId });
    },
    ...problemsIn(health),
    ...untoldIn(health),
    ...ofAccountIn(health),
  };
}

type LastFailing = Pick<ChannelHealth, 'failingSince' | 'channelId'>;

function afterFailing(last: LastFailing | undefined): { after?: (string | number)[] } {
  return last === undefined ? {} : { after: [last.failingSince ?? 0, last.channelId] };
}

/** The channels of an account in trouble. */
function ofAccountIn(health: Records<ChannelHealth>) {
  const ids = health.only('channelId', 'failingSince', 'troubledSince', 'token', 'isSubscribed');
  return {
    /** Without it the channel is in no list of its account. */
    async noteAccount({ id: channelId, accountId }: Pick<Channel, 'id' | 'accountId'>): Promise<void> {
      await health.patch({ which: { channelId, accountId: null }, change: { set: { accountId } } });
    },
    /** Of an inactive channel, which would take a place in the lists for ever: it is not checked again. */
    async forgetAccount(channelId: string): Promise<void> {
      await health.patch({ which: { channelId }, change: { set: { accountId: null } } });
    },
    /** With failing receivers, the longest failing first. */
    failingOf: async (accountId: string, limit: number): Promise<string[]> =>
      (await ids.list({ by: 'failingOfAccount', equal: { accountId }, limit })).map(
        ({ channelId }) => channelId,
      ),
    /** With refused tokens, without events, with problems that upstream told, and with failing receivers: at most `limit` of each kind. */
    ailing(accountId: string, limit: number): Promise<string[][]> {
      const found = [
        ids.list({ by: 'byTokenOfAccount', equal: { accountId, token: 'refused' }, limit }),
        ids.list({ by: 'bySubscriptionOfAccount', equal: { accountId, isSubscribed: false }, limit }),
        ids.list({ by: 'troubledOfAccount', equal: { accountId }, limit }),
        ids.list({ by: 'failingOfAccount', equal: { accountId }, limit }),
      ];
      return Promise.all(found.map(async (each) => (await each).map(({ channelId }) => channelId)));
    },
  };
}

export type HealthStore = ReturnType<typeof channelHealthStore>;

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

/** Times only move forward; undefined leaves a time unchanged. */
type Times = Partial<
  Pick<ChannelHealth, 'inboundAt' | 'statusAt' | 'deliveredAt' | 'deliveryFailedAt' | 'warnedAt'>
>;

/**
 * `failingSince`: time of the first failure after the last known success; null or undefined with a `deliveredAt`: deliveries work again.
 * `lastFailure` describes the failure at `deliveryFailedAt`.
 */
export type Activity = { channelId: string } & Times &
  Partial<{ failingSince: number | null; lastFailure: string }>;
