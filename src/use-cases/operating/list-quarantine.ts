import type { UseCaseDeps } from '../deps.ts';
import type { QuarantinedItem } from '../ports/operating.ts';
import type { Page, PageRequest } from '../ports/paging.ts';

/** With what this node has gathered and not written yet. */
export async function listQuarantine(deps: UseCaseDeps, page: PageRequest): Promise<Page<QuarantinedItem>> {
  await deps.quarantine.keep();
  return deps.stores.quarantine.list(page);
}
