import type { UseCaseDeps } from '../deps.ts';
import type { PeopleLimits } from './limits.ts';
import { mailConfirmation } from './mails.ts';
import { personOf } from './passes.ts';
import type { Visitor } from './use-cases.ts';

/** One more mail, for whom the first did not reach. Throws 429. */
export async function askConfirmation(
  deps: UseCaseDeps,
  limits: PeopleLimits,
  { caller }: Visitor,
): Promise<void> {
  const person = await deps.stores.people.byId(caller.accountId);
  if (person === null || person.confirmedAt !== null) return;
  limits.mailAccount.take(person.id);
  await mailConfirmation(deps, person);
}

export async function confirmEmail(deps: UseCaseDeps, token: string): Promise<boolean> {
  const person = await personOf(deps, token, 'confirm', 'take');
  if (person === null) return false;
  await deps.stores.people.confirm(person.id, deps.clock.now());
  return true;
}
