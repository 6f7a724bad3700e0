/** Health of channels. Every write may be repeated: the last state wins, and times only move forward. */
import { unknownHealth } from '../../rules/channels/health.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { allowedAt, triesWithin } from '../../rules/channels/registration.ts';
import { withProblem } from '../../rules/channels/upstream-problems.ts';
import type { UpstreamProblem } from '../../rules/channels/upstream-problems.ts';
import type { Activity, HealthStore } from '../../upstream/health-port.ts';
import type { Patch, Records, RecordsOf } from '../../storage/records.ts';
import { channelHealth } from './entity.ts';

export function channelHealthStore(recordsOf: RecordsOf): HealthStore {
  const health = recordsOf(channelHealth);
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
    async noteProblem(channelId, problem, now) {
      let isNew = false;
      await changeProblems(health, channelId, (known) => {
        isNew = !known.some(({ code }) => code === problem.code);
        return withProblem(known, problem, now);
      });
      return isNew;
    },
    async clearProblems(channelId, codes) {
      let gone: UpstreamProblem[] = [];
      await changeProblems(health, channelId, (known) => {
        gone = known.filter(({ code }) => codes === 'all' || codes.includes(code));
        return gone.length === 0 ? null : known.filter((each) => !gone.includes(each));
      });
      return gone.map(({ code }) => code);
    },
    async claimRegistration(channelId, now) {
      let allowed: number | null = null;
      await changeRecord(health, channelId, ({ registrations }) => {
        allowed = allowedAt(registrations, now);
        return allowed === null ? { registrations: [...triesWithin(registrations, now), now] } : null;
      });
      return allowed;
    },
    troubled(limit, last) {
      const after = last === undefined ? {} : { after: [last.troubledSince ?? 0, last.channelId] };
      return health.list({ by: 'troubled', ...after, limit });
    },
  };
}

/** Each lost race is another writer's success; a channel has few. */
const maxTries = 100;

/** Compare-and-set on the version of the list, so that two nodes that learn of two problems lose neither. `change` null: leave it. */
async function changeProblems(
  health: Records<ChannelHealth>,
  channelId: string,
  change: (known: readonly UpstreamProblem[]) => readonly UpstreamProblem[] | null,
): Promise<void> {
  await changeRecord(health, channelId, (known) => {
    const problems = change(known.problems ?? []);
    return problems === null ? null : columnsOf(problems);
  });
}

async function changeRecord(
  health: Records<ChannelHealth>,
  channelId: string,
  change: (known: ChannelHealth) => Partial<ChannelHealth> | null,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const known = await health.one({ channelId });
    const columns = change(known ?? unknownHealth(channelId));
    if (columns === null) return;
    if (known === null) await health.insert(unknownHealth(channelId));
    const problemsVersion = known?.problemsVersion ?? null;
    const set = { problemsVersion: (problemsVersion ?? 0) + 1, ...columns };
    if ((await health.patch({ which: { channelId, problemsVersion }, change: { set } })) !== null) return;
  }
  throw new Error('the record of a channel’s health changes without end');
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
