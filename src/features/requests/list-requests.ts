import type { PagePosition, PageRequest } from '../../kernel/paging.ts';
import { defaultLimit } from '../../kernel/paging.ts';
import { showKey } from '../../rules/api-key.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { LeftOutRequests, LoggedRequest } from './entity.ts';
import { oldestKept } from './request-log.ts';
import type { RequestFilter } from './store.ts';

/** `keyHint`: first and last characters of the key; null: the key is revoked. */
export type ListedRequest = Omit<LoggedRequest, 'id' | 'accountId' | 'apiKeyId' | 'isFailed' | 'leftOut'> & {
  keyHint: string | null;
};

/** Requests omitted in the minute that ended at `createdAt`. */
export type LeftOut = LeftOutRequests & Pick<LoggedRequest, 'createdAt'>;

interface RequestPage {
  requests: ListedRequest[];
  /** Counts of omitted requests between these; empty if a filter applies. */
  leftOut: LeftOut[];
  nextCursor: PagePosition | null;
}

/** API requests with the account's keys in the last 7 days, newest first. [operator-interface §3] */
export async function listRequests(
  world: World,
  { accountId }: Caller,
  { since, until = null, ...filter }: RequestFilter & { since: number | null; until?: number | null },
  { limit, cursor }: PageRequest,
): Promise<RequestPage> {
  // Writes this node's buffer; other nodes write theirs within a second.
  await world.requestLog.flush();
  const from = Math.max(since ?? 0, oldestKept(world.clock));
  const page = { limit: limit ?? defaultLimit, cursor };
  const { items, nextCursor } = await world.searches.run(accountId, () =>
    world.stores.requestLog.list(accountId, { ...filter, since: from, until }, page),
  );
  const hints = await keyHints(world, accountId, items);
  const requests = items.flatMap((item) => (item.leftOut === null ? [listed(item, hints)] : []));
  const leftOut = items.flatMap(({ leftOut: counts, createdAt }) =>
    counts === null ? [] : [{ ...counts, createdAt }],
  );
  return { requests, leftOut, nextCursor };
}

function listed(item: LoggedRequest, hints: ReadonlyMap<string, string>): ListedRequest {
  const { apiKeyId, method, route, status, code, requestId, durationMs, createdAt } = item;
  return {
    method,
    route,
    status,
    code,
    requestId,
    durationMs,
    createdAt,
    keyHint: hints.get(apiKeyId) ?? null,
  };
}

async function keyHints(
  { stores }: World,
  accountId: string,
  items: readonly LoggedRequest[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(items.filter(({ leftOut }) => leftOut === null).map(({ apiKeyId }) => apiKeyId))];
  const keys = await Promise.all(ids.map((id) => stores.keys.inAccount(id, accountId)));
  return new Map(keys.flatMap((key) => (key === null ? [] : [[key.id, showKey(key)]])));
}
