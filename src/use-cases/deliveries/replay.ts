import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import { readById } from '../long-lists.ts';
import type { AskedReplay, ReplayProgress } from './types.ts';

/** Each is a few bytes; only a client in a loop opens more. */
const maxOpen = 20;

/**
 * Posts kept given-up deliveries of the time range again: same ids, a full set of attempts, in event order. Returns their number
 * once the replay is durable; the channel's owner, on whatever node, then works through it. A delivery that is given up again is not
 * repeated by the same replay. Throws 404 `not_found`, 409 `conflict`. [operator-interface §3: Additive paths]
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
      why: 'The channel has no webhook_url or no webhook_events: no event can be delivered',
    });
  const { keptDeliveries, replays } = deps.stores;
  const now = deps.clock.now();
  const which = { since, until: Math.min(until ?? now, now), events };
  const replaying = await deps.searches.run(accountId, () => keptDeliveries.count(channelId, which));
  if (replaying === 0) return { replaying };
  const asked = { total: replaying, createdAt: now, openSince: now };
  const replay = { id: newId(), channelId, accountId, ...which, ...asked };
  if (!(await replays.begin(replay, maxOpen)))
    throw fault('conflict', {
      why: `${maxOpen} replays of the channel are running: wait until one has ended`,
    });
  deps.router.tell(channelId, { type: 'replay' });
  return { replaying };
}

/** Progress of the last replay; null if there is none within the log's retention. Throws 404 `not_found`. */
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

/** Tells the present owners of open replays that another owner may have begun. */
export async function resumeReplays({
  stores,
  router,
}: Pick<UseCaseDeps, 'stores' | 'router'>): Promise<void> {
  const channelIds = readById((after, limit) => stores.replays.channels(after, limit));
  for await (const channelId of channelIds) router.tell(channelId, { type: 'replay' });
}
