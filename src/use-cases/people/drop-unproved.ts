import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';

const dayMs = 86_400_000;
/** So long an address may be proved. */
const keptMs = 30 * dayMs;
/** Accounts are looked at for so long after that; a service that stands still for longer leaves some. */
const windowMs = 7 * dayMs;
const atOnce = 1_000;

/** Sign-ups that nobody has confirmed, where nothing was begun. Throws StoreUnavailable. [operator-interface §4, sign-up; faults: 154] */
export async function dropUnproved({ stores, clock, log }: UseCaseDeps): Promise<void> {
  const { accounts, keys, channels } = stores;
  const before = clock.now() - keptMs;
  let dropped = 0;
  for (const account of await accounts.unproved({ from: before - windowMs, below: before }, atOnce)) {
    const isEmpty =
      (await keys.list(account.id)).length + (await channels.list(account.id, everything)).items.length === 0;
    if (isEmpty && (await accounts.dropUnproved(account))) dropped += 1;
  }
  if (dropped > 0) log.info({ dropped }, 'accounts.unproved-dropped');
}
