import type { Seen } from '../audit/audited.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { redirectSeen } from '../audit/seen.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';
import { addRedirect } from './add.ts';
import { listRedirects } from './list.ts';
import { removeRedirect } from './remove.ts';

export const redirectUseCases = {
  ...unrecorded('reads', { listRedirects }),
  addRedirect: audited(addRedirect, {
    action: 'redirect.added',
    after: (_deps, redirect) => redirectSeen(redirect),
  }),
  removeRedirect: audited(removeRedirect, { action: 'redirect.removed', before: redirectBefore }),
};

async function redirectBefore(
  { stores }: UseCaseDeps,
  { apiKeyId }: Caller,
  id: string,
): Promise<Seen | null> {
  const { items } = await stores.redirects.list(apiKeyId, everything);
  const redirect = items.find((one) => one.id === id);
  return redirect === undefined ? null : redirectSeen(redirect);
}
