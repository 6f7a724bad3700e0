import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { DeliveryFilter, LoggedDelivery } from './types.ts';

/** A channel may have made a million of them: this list has no form without a limit. */
const defaultLimit = 100;

/** Newest first, for as long as the log is kept. Throws 404 `not_found`. [operator-interface §2, DELIVERY_LOG_DAYS] */
export async function listDeliveries(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  filter: DeliveryFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<LoggedDelivery>> {
  await findChannel(deps, caller, channelId);
  const { accountId } = caller;
  const since = deps.clock.now() - deps.settings.deliveryLogMs;
  const page = { limit: limit ?? defaultLimit, cursor };
  return deps.stores.deliveryLog.list({ accountId, channelId, since, ...filter, page });
}
