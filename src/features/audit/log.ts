/** Reading and trimming the audit log. */
import type { AuditFilter } from './store.ts';
import type { Caller, ActorKind } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { defaultLimit } from '../../kernel/paging.ts';
import type { Page, PageRequest, TwoWayPage, TwoWayPageRequest } from '../../kernel/paging.ts';
import { mostAudited } from './entity.ts';
import type { AuditEntry } from './entity.ts';

/** Entries of all accounts and of the whole service, newest first. */
export function listAudit(
  { stores }: World,
  filter: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditEntry>> {
  return stores.audit.list(filter, { limit: limit ?? defaultLimit, cursor });
}

/** As `listAudit`, in either direction. */
export function pageAudit(
  { stores }: World,
  filter: AuditFilter,
  page: TwoWayPageRequest,
): Promise<TwoWayPage<AuditEntry>> {
  return stores.audit.listTwoWay(filter, page);
}

/** Entries of the caller's account only, without the IP addresses and request ids of operators. */
export async function pageOwnAudit(
  { stores, searches }: World,
  { accountId }: Caller,
  filter: Omit<AuditFilter, 'accountId'>,
  page: TwoWayPageRequest,
): Promise<TwoWayPage<AuditEntry>> {
  const found = await searches.run(accountId, () => stores.audit.listTwoWay({ ...filter, accountId }, page));
  const items = found.items.map((entry) =>
    entry.actor === 'operator' ? { ...entry, address: null, requestId: null } : entry,
  );
  return { ...found, items };
}

/**
 * Each kind of actor has a bound of its own, so that a key which changes settings all day displaces no entries of people. Entries of
 * operators have no bound.
 */
const bounded: readonly ActorKind[] = ['key', 'person'];
/** Accounts per call, once a minute. */
const accountsAtOnce = 200;

/** Trims some accounts per call, and starts over after the last account. */
export class AuditTrim {
  readonly #stores: Pick<World['stores'], 'audit'>;
  readonly #most: number;
  #last = '';

  constructor({ stores }: { stores: Pick<World['stores'], 'audit'> }, most = mostAudited) {
    this.#stores = stores;
    this.#most = most;
  }

  /** Stops early when the signal aborts, or with StoreUnavailable; then the next call begins with the same accounts. */
  async run(stopping?: AbortSignal): Promise<void> {
    const { audit } = this.#stores;
    const accountIds = await audit.accountsAfter(this.#last, accountsAtOnce);
    for (const accountId of accountIds) {
      if (stopping?.aborted === true) return;
      for (const actor of bounded) await audit.keepNewest({ accountId, actor }, this.#most, stopping);
    }
    this.#last = accountIds.length < accountsAtOnce ? '' : (accountIds.at(-1) ?? '');
  }
}
