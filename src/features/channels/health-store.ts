/** Health of channels. Every write may be repeated: the last state wins, and times only move forward. */
import { unknownHealth } from '../../rules/channels/health.ts';
import type { ChannelHealth, UpstreamState } from '../../rules/channels/health.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { allowedAt, triesWithin } from '../../rules/channels/registration.ts';
import { channelChanges } from '../../rules/channels/changes.ts';
import { atOnce, withUntold } from '../../rules/events/changes.ts';
import { withProblem } from '../../rules/channels/upstream-problems.ts';
import type {
  UpstreamProblem,
  NewProblem,
  UpstreamProblemCode,
} from '../../rules/channels/upstream-problems.ts';
import type { Patch, Records, RecordsOf } from '../../storage/records.ts';
import { channelHealth } from './entity.ts';

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
    ): Promise<void> => changeRecord(health, channelId, checkedAt, () => ({ ...state, checkedAt }), quality),
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
    /** Channels with failing deliveries, longest failing first. */
    failing: (limit: number): Promise<ChannelHealth[]> => health.list({ by: 'failing', limit }),
    /** Those failing since this time (ms) or longer, the longest first; the first `limit` after that one. */
    failingUntil(
      upTo: number,
      limit: number,
      last?: Pick<ChannelHealth, 'failingSince' | 'channelId'>,
    ): Promise<ChannelHealth[]> {
      const after = last === undefined ? {} : { after: [last.failingSince ?? 0, last.channelId] };
      return health.list({ by: 'failing', range: { on: 'failingSince', from: 0, upTo }, ...after, limit });
    },
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

/** What upstream shows against channels, and calls that it limits. */
function problemsIn(health: Records<ChannelHealth>) {
  return {
    /** Puts a problem on record; one that is there keeps its `since`. True if it is new. */
    async noteProblem(channelId: string, problem: NewProblem, now: number): Promise<boolean> {
      let isNew = false;
      await changeProblems(health, channelId, now, (known) => {
        isNew = !known.some(({ code }) => code === problem.code);
        return withProblem(known, problem, now);
      });
      return isNew;
    },
    /** Takes these problems off the record. The result: those that were there. */
    async clearProblems(
      channelId: string,
      codes: readonly UpstreamProblemCode[] | 'all',
      now: number,
    ): Promise<UpstreamProblemCode[]> {
      let gone: UpstreamProblem[] = [];
      await changeProblems(health, channelId, now, (known) => {
        gone = known.filter(({ code }) => codes === 'all' || codes.includes(code));
        return gone.length === 0 ? null : known.filter((each) => !gone.includes(each));
      });
      return gone.map(({ code }) => code);
    },
    /**
     * Counts a call that registers the number, before it is made; null: counted, otherwise when one is allowed. It is kept over a
     * reconnect.
     */
    async claimRegistration(channelId: string, now: number): Promise<number | null> {
      let allowed: number | null = null;
      await changeRecord(health, channelId, now, ({ registrations }) => {
        allowed = allowedAt(registrations, now);
        return allowed === null ? { registrations: [...triesWithin(registrations, now), now] } : null;
      });
      return allowed;
    },
    /** Channels with a problem on record, the longest troubled first; the first `limit` after that one. */
    troubled(
      limit: number,
      last?: Pick<ChannelHealth, 'troubledSince' | 'channelId'>,
    ): Promise<ChannelHealth[]> {
      const after = last === undefined ? {} : { after: [last.troubledSince ?? 0, last.channelId] };
      return health.list({ by: 'troubled', ...after, limit });
    },
  };
}

/** Changes that upstream made and the channel's owner has not got yet. */
function untoldIn(health: Records<ChannelHealth>) {
  return {
    /** Channels with changes to tell now, the longest due first. */
    untold: (now: number, limit: number): Promise<ChannelHealth[]> =>
      health.list({ by: 'untold', range: { on: 'tellAt', from: 0, upTo: now }, limit }),
    /** Takes what was told off the record. */
    async told(channelId: string, ids: ReadonlySet<string>): Promise<void> {
      await changeRecord(health, channelId, 0, ({ untold, tellAt }) => {
        const left = (untold ?? []).filter(({ id }) => !ids.has(id));
        return left.length === 0 ? { untold: null, tellAt: null } : { untold: left, tellAt };
      });
    },
    /** They could not be told: again at `tellAt`. */
    tellLater: (channelId: string, tellAt: number): Promise<void> =>
      health.patchEach([
        { which: { channelId }, range: { on: 'tellAt', from: 0 }, change: { set: { tellAt } } },
      ]),
  };
}

export type HealthStore = ReturnType<typeof channelHealthStore>;

/** Each lost race is another writer's success; a channel has few. */
const maxTries = 100;

async function changeProblems(
  health: Records<ChannelHealth>,
  channelId: string,
  now: number,
  change: (known: readonly UpstreamProblem[]) => readonly UpstreamProblem[] | null,
): Promise<void> {
  await changeRecord(health, channelId, now, (known) => {
    const problems = change(known.problems ?? []);
    return problems === null ? null : columnsOf(problems);
  });
}

/**
 * Compare-and-set on what was read, so that two nodes that learn of two problems lose neither, and one of two that learn of the same change
 * tells it. `change` null: leave the record.
 */
async function changeRecord(
  health: Records<ChannelHealth>,
  channelId: string,
  now: number,
  change: (known: ChannelHealth) => Partial<ChannelHealth> | null,
  quality: string | null = null,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await health.one({ channelId });
    const known = found ?? unknownHealth(channelId);
    const columns = change(known);
    if (columns === null) return;
    if (found === null) await health.insert(known);
    const { problemsVersion, token, qualityRating } = known;
    const which = { channelId, problemsVersion, token, qualityRating };
    const set = withVersion({ ...known, qualityRating: qualityRating ?? quality }, columns, now);
    if ((await health.patch({ which, change: { set } })) !== null) return;
  }
  throw new Error('the record of a channel’s health changes without end');
}

/** A check that finds everything as it was makes no new version. */
function withVersion(
  known: ChannelHealth,
  columns: Partial<ChannelHealth>,
  now: number,
): Partial<ChannelHealth> {
  const version = (known.problemsVersion ?? 0) + 1;
  const changes = channelChanges(known, { ...known, ...columns }, version, now);
  const isCheck = 'checkedAt' in columns;
  if (changes.length === 0) return isCheck ? columns : { ...columns, problemsVersion: version };
  const untold = withUntold(known.untold, changes);
  return { ...columns, problemsVersion: version, untold, tellAt: known.tellAt ?? atOnce };
}

function columnsOf(problems: readonly UpstreamProblem[]): Pick<ChannelHealth, 'problems' | 'troubledSince'> {
  if (problems.length === 0) return { problems: null, troubledSince: null };
  return { problems, troubledSince: Math.min(...problems.map(({ since }) => since)) };
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
