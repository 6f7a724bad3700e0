import type { Redirect } from '../../domain/accounts/account.ts';
import type { Caller } from '../caller.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { UseCaseDeps } from '../deps.ts';

/** The patterns of the key that asks, not of its account. [spec: Authentication 5] */
export async function listRedirects(
  deps: UseCaseDeps,
  caller: Caller,
  page: PageRequest,
): Promise<Page<Redirect>> {
  return deps.stores.redirects.list(caller.apiKeyId, page);
}
