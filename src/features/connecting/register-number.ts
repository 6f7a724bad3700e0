/** Registers numbers: once when a channel is connected, and again by itself while upstream refuses. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import {
  beingRegistered,
  explainHurdle,
  gapMs,
  triesWithin,
  waitAfter,
} from '../../rules/channels/registration.ts';
import type { UpstreamProblem } from '../../rules/channels/upstream-problems.ts';
import { minuteMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';

/** If the node ends meanwhile, another one tries again after this time. */
const crashedMs = 2 * minuteMs;

/**
 * Puts the registration on record before the channel is connected: a node that ends right after leaves a number that is tried again. An
 * exchange that fails then leaves a note that the next look takes off. Throws StoreUnavailable.
 */
export async function intendRegistration(world: World, channel: Channel): Promise<void> {
  if (kindOf(channel.channelType).isRegistered) await noteBegun(world, channel.id);
}

/**
 * One try. The channel's health says "registration pending" until it succeeds; the problem is on record before the call, so a crash delays
 * the registration and does not lose it. Never throws: the channel is connected all the same.
 */
export async function registerNumber(world: World, channel: Channel): Promise<void> {
  if (!kindOf(channel.channelType).isRegistered) return;
  try {
    await tryOnce(world, channel);
  } catch (thrown) {
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'channel.not-registered');
  }
}

async function tryOnce(world: World, channel: Channel): Promise<void> {
  const { stores, upstream, clock, log, counters } = world;
  const { id } = channel;
  const known = await noteBegun(world, id);
  let allowedAt: number | null = null;
  const outcome = await upstream.register(channel, async () => {
    allowedAt = await stores.health.claimRegistration(id, clock.now());
    return allowedAt === null;
  });
  if (outcome.isReady)
    return void (await stores.health.clearProblems(id, ['registration_pending'], clock.now()));
  const { hurdle, words } = outcome;
  const now = clock.now();
  // Another try has just made the call, and notes what became of it.
  if (allowedAt !== null && allowedAt <= now + gapMs) return;
  const tries = triesWithin((await stores.health.of(id))?.registrations ?? null, now).length;
  const nextTryAt = allowedAt ?? now + waitAfter(hurdle, tries);
  log.warn(
    { channel: id, hurdle, why: words, next: new Date(nextTryAt).toISOString() },
    'channel.not-registered',
  );
  // Our own count is no news for a person: what upstream said last stays.
  const detail = allowedAt !== null && known !== null ? known.detail : explainHurdle(hurdle, words);
  await stores.health.noteProblem(id, { code: 'registration_pending', detail, nextTryAt }, now);
  if (known === null) counters.increment('channel_problems_total', { code: 'registration_pending' });
}

/** Returns what an earlier try found; null: there was none. */
async function noteBegun({ stores, clock }: World, id: string): Promise<UpstreamProblem | null> {
  const known = pendingIn(await stores.health.of(id));
  const begun = { code: 'registration_pending', detail: known?.detail ?? beingRegistered } as const;
  await stores.health.noteProblem(id, { ...begun, nextTryAt: clock.now() + crashedMs }, clock.now());
  return known === null || known.detail === beingRegistered ? null : known;
}

export function pendingIn(health: ChannelHealth | null): UpstreamProblem | null {
  return health?.problems?.find(({ code }) => code === 'registration_pending') ?? null;
}
