import type { UseCaseDeps } from '../deps.ts';
import { listRedirects } from './list.ts';
import { addRedirect } from './add.ts';
import { removeRedirect } from './remove.ts';
import type { RedirectUseCases } from './use-cases.ts';

export function bindRedirects(deps: UseCaseDeps): RedirectUseCases {
  return {
    listRedirects: (caller, page) => listRedirects(deps, caller, page),
    addRedirect: (caller, uriPattern) => addRedirect(deps, caller, uriPattern),
    removeRedirect: (caller, redirectId) => removeRedirect(deps, caller, redirectId),
  };
}
