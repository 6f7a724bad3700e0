import type { Page, PageRequest } from '../ports/paging.ts';
import type { StoredMail } from '../ports/operating.ts';
import type { UseCaseDeps } from '../deps.ts';

/** null: the mails of every account. [operator-interface §3] */
export async function listMails(
  deps: UseCaseDeps,
  accountId: string | null,
  page: PageRequest,
): Promise<Page<StoredMail>> {
  return deps.stores.mails.list(accountId, page);
}
