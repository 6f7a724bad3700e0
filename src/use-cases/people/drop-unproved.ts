import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';

const dayMs = 86_400_000;
/** So long an address may be proved. */
const keptMs = 30 * dayMs;
/** Accounts are looked at for so long after that; a service that stands still for longer leaves some. */
const windowMs = 7 * dayMs;
const atOnce = 1_000;

/** Sign-ups that nobody has confirmed, where nothing was begun or granted. Throws StoreUnavailable. [operator-interface §4, sign-up; faults: 154] */
export async function dropUnproved({ stores, clock, log }: UseCaseDeps): Promise<void> {
  const { accounts } = stores;
  const before = clock.now() - keptMs;
  let dropped = 0;
  for (const account of await accounts.unproved({ from: before - windowMs, below: before }, atOnce)) {
    if ((await isEmpty(stores, account.id)) && (await accounts.dropUnproved(account))) dropped += 1;
  }
  if (dropped > 0) log.info({ dropped }, 'accounts.unproved-dropped');
}

/** The trial is everybody's. */
async function isEmpty(
  { keys, channels, subscriptions }: UseCaseDeps['stores'],
  accountId: string,
): Promise<boolean> {
  const [made, connected, licences] = await Promise.all([
    keys.list(accountId),
    channels.list(accountId, everything),
    subscriptions.list(accountId),
  ]);
  return made.length + connected.items.length === 0 && licences.every(({ source }) => source === 'trial');
}
