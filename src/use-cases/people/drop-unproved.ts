import { isProved } from '../../domain/accounts/email.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';
import type { PagePosition } from '../ports/paging.ts';

const dayMs = 86_400_000;
/** So long an address may be proved. */
const keptMs = 30 * dayMs;
/** Accounts are looked at for so long after that; a service that stands still for longer leaves some. */
const windowMs = 7 * dayMs;
/** Of a look: a minute. */
const atOnce = 1_000;

/**
 * Sign-ups that nobody has confirmed, where nothing was begun or granted. Each look goes on where the one before it ended, so that it
 * costs what came of age meanwhile and not a week of accounts. [operator-interface §4, sign-up; faults: 154]
 */
export class UnprovedAccounts {
  readonly #deps: UseCaseDeps;
  /** Up to here all was looked at; null: nothing was, since this node started. */
  #place: PagePosition | null = null;

  constructor(deps: UseCaseDeps) {
    this.#deps = deps;
  }

  /** Throws StoreUnavailable; the next look then begins where this one did. */
  async drop(): Promise<void> {
    const { stores, clock, log } = this.#deps;
    const below = clock.now() - keptMs;
    const page = { limit: atOnce, cursor: this.#place };
    const { items } = await stores.accounts.madeIn({ from: below - windowMs, below }, page);
    let dropped = 0;
    for (const account of items) {
      if (isProved(account.email) || !(await isEmpty(stores, account.id))) continue;
      if (await stores.accounts.dropUnproved(account)) dropped += 1;
    }
    const last = items.at(-1);
    if (last !== undefined) this.#place = { createdAt: last.createdAt, id: last.id };
    if (dropped > 0) log.info({ dropped }, 'accounts.unproved-dropped');
  }
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
