import type { UseCaseDeps } from '../deps.ts';
import { mailConfirmation } from './mails.ts';
import { personOf } from './passes.ts';
import type { Visitor } from './types.ts';

/** One more mail, for whom the first did not reach. Throws 429. */
export async function askConfirmation(deps: UseCaseDeps, { caller }: Visitor): Promise<void> {
  const person = await deps.stores.people.byId(caller.accountId);
  if (person === null || person.confirmedAt !== null) return;
  deps.peopleLimits.mailAccount.take(person.id);
  await mailConfirmation(deps, person);
}

/** False: the link was used, has expired or was never one. */
export async function confirmEmail(deps: UseCaseDeps, token: string): Promise<boolean> {
  const person = await personOf(deps, token, 'confirm', 'take');
  if (person === null) return false;
  await deps.stores.people.confirm(person.id, deps.clock.now());
  return true;
}
