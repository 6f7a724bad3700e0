/**
 * Proof of an e-mail address. A mailed link proves that its reader receives the address's mails, not that its reader signed up: the
 * account may belong to somebody else, with their password and keys. So the link counts only together with the session that signed
 * up, or with the password. It signs in nobody. [faults: 134]
 */
import type { Actor } from '../../rules/caller.ts';
import { addressIn } from '../../rules/email.ts';
import type { Person, Visitor } from '../../rules/person.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { findEmailOwner, confirmAddress } from './email-owner.ts';
import { mailConfirmation } from './mails.ts';
import { findPassPerson } from './passes.ts';
import { findByPassword } from './passwords.ts';
import { personSnapshot } from './snapshot.ts';
import type { ConfirmRequest, Confirming } from './types.ts';

/** Sends the confirmation mail again. Throws 429. */
export async function askConfirmation(world: World, { personId }: Visitor): Promise<void> {
  const person = await world.stores.people.byId(personId);
  if (person === null || person.confirmedAt !== null) return;
  const address = addressIn(person.email);
  world.peopleLimits.mailAccount.take(address);
  const holder = await findEmailOwner(world, address);
  // Another holder of the address was mailed when this person signed up.
  if (holder === null || holder.accountId === person.accountId) await mailConfirmation(world, person);
}

/** What a confirmation link still needs to confirm the address. */
export async function confirming(
  world: World,
  { token, session }: Pick<ConfirmRequest, 'token' | 'session'>,
): Promise<Confirming> {
  const person = await findPassPerson(world, token, 'confirm', 'find');
  if (person === null) return 'used_up';
  return (await provesPerson(world, person, { session })) ? 'nothing' : 'password';
}

/** `password`: the password is missing or wrong. Throws 429. */
export async function confirmEmail(
  world: World,
  by: Actor | undefined,
  { token, session, ...typed }: ConfirmRequest,
): Promise<'confirmed' | Exclude<Confirming, 'nothing'>> {
  const person = await findPassPerson(world, token, 'confirm', 'find');
  if (person === null) return 'used_up';
  if (!(await provesPerson(world, person, { session, typed }))) return 'password';
  const taken = await findPassPerson(world, token, 'confirm', 'take');
  if (taken === null || !(await confirmAddress(world, taken))) return 'used_up';
  await audit(world, by, 'person.confirmed', null, personSnapshot(taken));
  return 'confirmed';
}

/** Whether who opens a mailed link is its person: by a session, or by the password, if one was typed. Throws 429. */
export async function provesPerson(
  world: World,
  person: Person,
  { session, typed }: { session: string; typed?: Pick<ConfirmRequest, 'password' | 'address'> },
): Promise<boolean> {
  const { id, email } = person;
  if ((await findPassPerson(world, session, 'session', 'find'))?.id === id) return true;
  if (typed === undefined) return false;
  return (await findByPassword(world, { email, ...typed, isKnown: false }, async () => person)) !== null;
}
