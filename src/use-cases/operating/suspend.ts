import type { Account } from '../../domain/accounts/account.ts';
import { fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';

/**
 * Its sends are 402 at once on this node and within 5 s on every other, until it is resumed. Everything else goes on: events are
 * received and delivered, what waits in queues is sent. Throws 404 `not_found`.
 */
export async function suspendAccount(
  deps: UseCaseDeps,
  accountId: string,
  { suspended }: { suspended: boolean },
): Promise<Account> {
  const since = suspended ? deps.clock.now() : null;
  const account = await deps.stores.accounts.suspend(accountId, since);
  if (account === null) throw fault('not_found', { what: 'Account' });
  deps.suspensions.forget(accountId);
  return account;
}
