import { isConfirmed } from '../../rules/email.ts';
import type { World } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import { dayMs } from '../../kernel/clock.ts';

/** Time for proving an address. */
const keptMs = 30 * dayMs;
/** Accounts are examined during this time after `keptMs`; an outage longer than this leaves some undeleted. */
const windowMs = 7 * dayMs;
/** Accounts per call, once a minute. */
const atOnce = 1_000;

/**
 * Deletes unconfirmed sign-ups whose account is empty. Each call continues after the previous one, so that it reads only accounts that
 * reached the age since, not a week of accounts. [operator-interface §4, sign-up; faults: 154]
 */
export class UnconfirmedAccounts {
  readonly #world: World;
  /** Last examined account; null: none since this node started. */
  #place: PagePosition | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** Throws StoreUnavailable; then the next call repeats the same accounts. */
  async drop(): Promise<void> {
    const { stores, clock, log } = this.#world;
    const below = clock.now() - keptMs;
    const page = { limit: atOnce, cursor: this.#place };
    const { items } = await stores.accounts.madeIn({ from: below - windowMs, below }, page);
    let dropped = 0;
    for (const account of items) {
      if (isConfirmed(account.email) || !(await isEmpty(stores, account.id))) continue;
      if (await stores.accounts.dropUnconfirmed(account)) dropped += 1;
    }
    const last = items.at(-1);
    if (last !== undefined) this.#place = { createdAt: last.createdAt, id: last.id };
    if (dropped > 0) log.info({ dropped }, 'accounts.unproved-dropped');
  }
}

/** Ignores the trial, which every account has. */
async function isEmpty(
  { keys, channels, subscriptions }: World['stores'],
  accountId: string,
): Promise<boolean> {
  const [made, connected, licences] = await Promise.all([
    keys.list(accountId),
    channels.list(accountId, everything),
    subscriptions.list(accountId),
  ]);
  return made.length + connected.items.length === 0 && licences.every(({ source }) => source === 'trial');
}
