import type { Page, PageRequest, StoredMail } from '../ports.ts';
import type { CachedWorld } from '../world.ts';

/** null: the mails of every account. [operator-interface §3] */
export async function listMails(
  world: CachedWorld,
  accountId: string | null,
  page: PageRequest,
): Promise<Page<StoredMail>> {
  return world.stores.mails.list(accountId, page);
}
