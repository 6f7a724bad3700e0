/** What a probe shows goes on record, and what it shows no more is over. */
import type { Channel } from '../../rules/channels/channel.ts';
import { describeProblem } from '../../rules/channels/upstream-problems.ts';
import type {
  NewProblem,
  UpstreamProblem,
  UpstreamProblemCode,
} from '../../rules/channels/upstream-problems.ts';
import { dayMs, hourMs, minuteMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import type { Probed } from '../../upstream/health-calls.ts';
import { mailProblem } from './problem-mails.ts';
import { endPause } from './send-pauses.ts';

type ProblemsWorld = Omit<World, 'probes'>;

/** How long an event of upstream stands against its own answers, which lag behind; a restriction need not show in them at all. */
const standsMs: Readonly<Partial<Record<UpstreamProblemCode, number>>> = {
  access_removed: minuteMs,
  account_disabled: minuteMs,
  account_restricted: dayMs,
  sends_paused: hourMs,
};

export async function recordProbed(
  world: ProblemsWorld,
  channel: Channel,
  { problems, lookedFor }: Pick<Probed, 'problems' | 'lookedFor'>,
): Promise<void> {
  const { stores, clock } = world;
  if (problems.length > 0) await noteEach(world, channel, problems);
  const known = (await stores.health.of(channel.id))?.problems ?? [];
  const isOver = ({ code, since }: UpstreamProblem): boolean =>
    lookedFor.includes(code) &&
    !problems.some((each) => each.code === code) &&
    since <= clock.now() - (standsMs[code] ?? 0);
  const over = known.filter(isOver).map(({ code }) => code);
  if (over.includes('sends_paused')) await endPause(world, channel, clock.now() - hourMs);
  const others = over.filter((code) => code !== 'sends_paused');
  if (others.length > 0) await stores.health.clearProblems(channel.id, others, clock.now());
}

async function noteEach(
  world: ProblemsWorld,
  { id, token }: Channel,
  problems: readonly NewProblem[],
): Promise<void> {
  const { stores, clock, counters, log } = world;
  const channel = await stores.channels.byId(id);
  // Connected again meanwhile: the answer concerns an older token.
  if (channel === null || !channel.isActive || channel.token !== token) return;
  for (const problem of problems) {
    if (!(await stores.health.noteProblem(id, problem, clock.now()))) continue;
    counters.increment('channel_problems_total', { code: problem.code });
    log.warn({ channel: id, problem: problem.code }, 'channel.problem');
    await mailProblem(world, channel, describeProblem(problem));
  }
}
