/** In the records of channels' health: what upstream shows against them, and what their owners have not been told. */
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { allowedAt, triesWithin } from '../../rules/channels/registration.ts';
import { isNews, withProblem } from '../../rules/channels/upstream-problems.ts';
import type {
  UpstreamProblem,
  NewProblem,
  UpstreamProblemCode,
} from '../../rules/channels/upstream-problems.ts';
import type { Records } from '../../storage/records.ts';
import { changeHealth } from './change-health.ts';

/** What upstream shows against channels, and calls that it limits. */
export function problemsIn(health: Records<ChannelHealth>) {
  return {
    /** Puts a problem on record; one that is there keeps its `since`. True if it is new, or has an effect for the first time. */
    async noteProblem(channelId: string, problem: NewProblem, now: number): Promise<boolean> {
      let isNew = false;
      await changeProblems(health, channelId, now, (known) => {
        isNew = isNews(known, problem);
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
      await changeHealth(health, channelId, now, ({ registrations }) => {
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
export function untoldIn(health: Records<ChannelHealth>) {
  return {
    /** Channels with changes to tell now, the longest due first. */
    untold: (now: number, limit: number): Promise<ChannelHealth[]> =>
      health.list({ by: 'untold', range: { on: 'tellAt', from: 0, upTo: now }, limit }),
    /** Takes what was told off the record. */
    async told(channelId: string, ids: ReadonlySet<string>): Promise<void> {
      await changeHealth(health, channelId, 0, ({ untold, tellAt }) => {
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

async function changeProblems(
  health: Records<ChannelHealth>,
  channelId: string,
  now: number,
  change: (known: readonly UpstreamProblem[]) => readonly UpstreamProblem[] | null,
): Promise<void> {
  await changeHealth(health, channelId, now, (known) => {
    const problems = change(known.problems ?? []);
    return problems === null ? null : columnsOf(problems);
  });
}

function columnsOf(problems: readonly UpstreamProblem[]): Pick<ChannelHealth, 'problems' | 'troubledSince'> {
  if (problems.length === 0) return { problems: null, troubledSince: null };
  return { problems, troubledSince: Math.min(...problems.map(({ since }) => since)) };
}
