/** Registers numbers: once when a channel is connected, and again by itself while upstream refuses. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelHealth } from '../../domain/channels/health.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { explainHurdle, gapMs, triesWithin, waitAfter } from '../../domain/channels/registration.ts';
import { minuteMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { inRequestScope } from '../deps.ts';
import type { UseCaseDeps } from '../deps.ts';

/** If the node ends meanwhile, another one tries again after this time. */
const crashedMs = 2 * minuteMs;

/**
 * One try. The channel's health says "registration pending" until it succeeds; the problem is on record before the call, so a crash delays
 * the registration and does not lose it. Never throws: the channel is connected all the same.
 */
export async function registerNumber(deps: UseCaseDeps, channel: Channel): Promise<void> {
  if (!kindOf(channel.channelType).isRegistered) return;
  try {
    await tryOnce(deps, channel);
  } catch (thrown) {
    deps.log.warn({ channel: channel.id, error: asError(thrown) }, 'channel.not-registered');
  }
}

async function tryOnce({ stores, upstream, clock, log }: UseCaseDeps, channel: Channel): Promise<void> {
  const { id } = channel;
  const known = pendingIn(await stores.health.of(id));
  const begun = { code: 'registration_pending', detail: known?.detail } as const;
  await stores.health.noteProblem(id, { ...begun, nextTryAt: clock.now() + crashedMs }, clock.now());
  let allowedAt: number | null = null;
  const outcome = await upstream.register(channel, async () => {
    allowedAt = await stores.health.claimRegistration(id, clock.now());
    return allowedAt === null;
  });
  if (outcome.isReady) return void (await stores.health.clearProblems(id, ['registration_pending']));
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
}

function pendingIn(health: ChannelHealth | null) {
  return health?.problems?.find(({ code }) => code === 'registration_pending') ?? null;
}

/** Channels looked at; the longest troubled come first. */
const maxTroubled = 1_000;
/** Each try takes up to 20 s. */
const maxTries = 20;

/** Tries again what is due. Throws StoreUnavailable. */
export async function registerDue(deps: UseCaseDeps): Promise<void> {
  const { stores, clock } = deps;
  const due = (await stores.health.troubled(maxTroubled)).filter((health) => {
    const nextTryAt = pendingIn(health)?.nextTryAt ?? null;
    return nextTryAt !== null && nextTryAt <= clock.now();
  });
  for (const { channelId } of due.slice(0, maxTries)) {
    const channel = await stores.channels.byId(channelId);
    if (channel?.isActive === true && channel.token !== null)
      await registerNumber(inRequestScope(deps, newId()), channel);
    else await stores.health.clearProblems(channelId, ['registration_pending']);
  }
}
