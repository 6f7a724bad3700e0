import type { Redirect } from '../../domain/accounts/account.ts';
import type { Caller } from '../index.ts';
import type { Page, PageRequest } from '../ports.ts';
import type { CachedWorld } from '../world.ts';

/** The patterns of the key that asks, not of its account. [spec: Authentication 5] */
export async function listRedirects(
  world: CachedWorld,
  caller: Caller,
  page: PageRequest,
): Promise<Page<Redirect>> {
  return world.stores.redirects.list(caller.apiKeyId, page);
}
