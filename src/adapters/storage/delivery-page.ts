import type { DeliveryLogQuery, LoggedDelivery } from '../../use-cases/ports/delivery-log.ts';
import type { Page, PagePosition } from '../../use-cases/ports/paging.ts';

/** Deliveries that one page looks at: a rare event among a million takes several calls, none of them a long one. */
export const maxLookedAt = 5_000;

/** The page of a log, from the deliveries after its cursor in order, at most `maxLookedAt` and one. */
export async function pageOfLog(
  log: AsyncIterable<LoggedDelivery> | Iterable<LoggedDelivery>,
  { accountId, event, state, page }: DeliveryLogQuery,
): Promise<Page<LoggedDelivery>> {
  const items: LoggedDelivery[] = [];
  let place: PagePosition | null = null;
  let lookedAt = 0;
  for await (const delivery of log) {
    if (items.length === page.limit || lookedAt === maxLookedAt) return { items, nextCursor: place };
    lookedAt += 1;
    place = { createdAt: delivery.createdAt, id: delivery.id };
    const isAskedFor =
      delivery.accountId === accountId &&
      (event === null || delivery.event === event) &&
      (state === null || delivery.state === state);
    if (isAskedFor) items.push(delivery);
  }
  return { items, nextCursor: null };
}
