/** Where a setup flow may send a person back to. */
import type { Page, PageRequest } from '../ports/paging.ts';
import type { Caller } from '../caller.ts';
import type { Redirect } from '../../domain/accounts/account.ts';

export interface RedirectUseCases {
  listRedirects(caller: Caller, page: PageRequest): Promise<Page<Redirect>>;
  addRedirect(caller: Caller, uriPattern: string): Promise<Redirect>;
  removeRedirect(caller: Caller, redirectId: string): Promise<void>;
}
