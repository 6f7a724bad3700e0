/**
 * Proof of an e-mail address. A mailed link proves that its reader receives the address's mails, not that its reader signed up: the
 * account may belong to somebody else, with their password and keys. So the link counts only together with the session that signed
 * up, or with the password. It signs in nobody. [faults: 134]
 */
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import { audit } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';
import { findEmailOwner, confirmAddress } from './email-owner.ts';
import { mailConfirmation } from './mails.ts';
import { findPassPerson } from './passes.ts';
import { findByPassword } from './passwords.ts';
import { personSnapshot } from './snapshot.ts';
import type { ConfirmRequest, Confirming, Visitor } from './types.ts';

/** Sends the confirmation mail again. Throws 429. */
export async function askConfirmation(deps: UseCaseDeps, { personId }: Visitor): Promise<void> {
  const person = await deps.stores.people.byId(personId);
  if (person === null || person.confirmedAt !== null) return;
  const address = addressIn(person.email);
  deps.peopleLimits.mailAccount.take(address);
  const holder = await findEmailOwner(deps, address);
  // Another holder of the address was mailed when this person signed up.
  if (holder === null || holder.accountId === person.accountId) await mailConfirmation(deps, person);
}

/** What a confirmation link still needs to confirm the address. */
export async function confirming(
  deps: UseCaseDeps,
  { token, session }: Pick<ConfirmRequest, 'token' | 'session'>,
): Promise<Confirming> {
  const person = await findPassPerson(deps, token, 'confirm', 'find');
  if (person === null) return 'used_up';
  return (await holdsSession(deps, person, session)) ? 'nothing' : 'password';
}

/** `password`: the password is missing or wrong. Throws 429. */
export async function confirmEmail(
  deps: UseCaseDeps,
  { token, session, password, address }: ConfirmRequest,
): Promise<'confirmed' | Exclude<Confirming, 'nothing'>> {
  const person = await findPassPerson(deps, token, 'confirm', 'find');
  if (person === null) return 'used_up';
  const { email } = person;
  const isTheirs =
    (await holdsSession(deps, person, session)) ||
    (await findByPassword(deps, { email, password, address, isKnown: false }, async () => person)) !== null;
  if (!isTheirs) return 'password';
  const taken = await findPassPerson(deps, token, 'confirm', 'take');
  if (taken === null || !(await confirmAddress(deps, taken))) return 'used_up';
  await audit(deps, 'person.confirmed', null, personSnapshot(taken));
  return 'confirmed';
}

async function holdsSession(deps: UseCaseDeps, { id }: Person, session: string): Promise<boolean> {
  return (await findPassPerson(deps, session, 'session', 'find'))?.id === id;
}
