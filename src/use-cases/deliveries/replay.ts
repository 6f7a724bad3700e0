import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import { readById } from '../long-lists.ts';
import type { AskedReplay, ReplayProgress } from './types.ts';

/** Each is a few bytes; who asks for more has a program that asks again and again. */
const maxOpen = 20;

/**
 * Posts again what was given up then and is kept: the same ids, all attempts anew, in the order of the events. Answers how many there are
 * once that is on record; the channel's owner works on them from then on, whoever it is. What is given up once more is not taken again
 * by the same replay. Throws 404 `not_found`, 409 `conflict`. [operator-interface §3: Additive paths]
 */
export async function replayDeliveries(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  { since, until, events }: AskedReplay,
): Promise<{ replaying: number }> {
  const { accountId } = caller;
  const { webhookUrl, webhookEvents } = await findChannel(deps, caller, channelId);
  if (webhookUrl === null || (webhookEvents ?? []).length === 0)
    throw fault('conflict', {
      why: 'The channel has no webhook_url or no webhook_events: nothing can be posted',
    });
  const { keptDeliveries, replays } = deps.stores;
  const now = deps.clock.now();
  const which = { since, until: Math.min(until ?? now, now), events };
  const replaying = await deps.searches.run(accountId, () => keptDeliveries.count(channelId, which));
  if (replaying === 0) return { replaying };
  if ((await replays.allOpen(channelId, maxOpen)).length === maxOpen)
    throw fault('conflict', {
      why: `${maxOpen} replays of the channel are under way: wait until some have ended`,
    });
  const asked = { total: replaying, createdAt: now, openSince: now };
  await replays.begin({ id: newId(), channelId, accountId, ...which, ...asked });
  deps.router.tell(channelId, { type: 'replay' });
  return { replaying };
}

/** How far the last replay is; null: there was none while the log is kept. Throws 404 `not_found`. */
export async function replayProgress(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
): Promise<ReplayProgress | null> {
  await findChannel(deps, caller, channelId);
  const { accountId } = caller;
  const { keptDeliveries, replays } = deps.stores;
  const replay = await replays.latest({ channelId, accountId });
  if (replay === null) return null;
  const { total, openSince, createdAt } = replay;
  const left =
    openSince === null
      ? 0
      : await deps.searches.run(accountId, () => keptDeliveries.count(channelId, replay));
  return { total, begun: Math.max(0, total - left), isRunning: openSince !== null, askedAt: createdAt };
}

/** Owners go on with what another has begun. */
export async function resumeReplays({
  stores,
  router,
}: Pick<UseCaseDeps, 'stores' | 'router'>): Promise<void> {
  const channelIds = readById((after, limit) => stores.replays.channels(after, limit));
  for await (const channelId of channelIds) router.tell(channelId, { type: 'replay' });
}
