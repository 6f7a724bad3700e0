import { maxFailedRetentionDays } from '../../domain/channels/channel.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { Page, PageRequest, TurnRequest } from '../ports/paging.ts';
import { keptUntil } from './kept.ts';
import type { DeliveryFilter, LoggedDelivery, ShownDelivery } from './types.ts';

/** A channel may have made a million of them: this list has no form without a limit. */
const defaultLimit = 100;
/** What is kept is given up after it was made. */
const maxKeptMs = (maxFailedRetentionDays + 1) * 86_400_000;

/**
 * Newest first, for as long as the log is kept; with what is kept longer where `failed` ones are asked for. Throws 404 `not_found`.
 * [operator-interface §2, DELIVERY_LOG_DAYS]
 */
export async function listDeliveries(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  filter: DeliveryFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ShownDelivery>> {
  const channel = await findChannel(deps, caller, channelId);
  const page = { limit: limit ?? defaultLimit, cursor };
  const question = { ...filter, since: null, until: null };
  return deps.searches.run(caller.accountId, () =>
    readLog(deps, channel, question, { ...page, isBack: false }),
  );
}

/** Made from `since` on and before `until` (ms); null: whenever. */
export interface DeliveryQuestion extends DeliveryFilter {
  since: number | null;
  until: number | null;
}

/** Of one channel, in the direction of the page. */
export async function readLog(
  { stores, clock, settings }: Pick<UseCaseDeps, 'stores' | 'clock' | 'settings'>,
  channel: Channel,
  { event, state, ...asked }: DeliveryQuestion,
  page: TurnRequest,
  lookAt?: number,
): Promise<Page<ShownDelivery>> {
  const now = clock.now();
  const logged = now - settings.deliveryLogMs;
  const oldest = state === 'failed' ? Math.min(logged, now - maxKeptMs) : logged;
  const times = { since: Math.max(asked.since ?? oldest, oldest), until: asked.until };
  const { id: channelId, accountId } = channel;
  const found = await stores.deliveryLog.list({
    accountId,
    channelId,
    ...times,
    event,
    state,
    page,
    lookAt,
  });
  const shown = found.items.map((delivery) => showDelivery(channel, delivery));
  const items = shown.filter((each) => each.createdAt >= logged || each.keptUntil !== null);
  return { items, nextCursor: found.nextCursor };
}

/** `channel` null: it is not there any more. */
export function showDelivery(channel: Channel | null, delivery: LoggedDelivery): ShownDelivery {
  const until = channel === null ? null : keptUntil(channel, delivery.keptSince);
  return { ...delivery, keptUntil: until };
}
