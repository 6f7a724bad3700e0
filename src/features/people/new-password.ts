import { emailAsStored, isConfirmed } from '../../rules/email.ts';
import type { Pass, Person } from '../../rules/person.ts';
import { mayAs } from '../../rules/person.ts';
import { asError, fault, requireValid } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';
import { newFounder, confirmAddress } from './email-owner.ts';
import { mailReset, noteReset } from './mails.ts';
import { findHolder, newPass, newPassLink, findPassPerson } from './passes.ts';
import { checkPassword, findByPassword, forgetTries, knownPlace, passwordProblem } from './passwords.ts';
import { personSnapshot } from './snapshot.ts';
import type { SignedIn, Visitor } from './types.ts';

/**
 * Mails a reset link to a known address. Resolves before any look-up, so that neither result nor duration reveals who is known;
 * a later failure is logged, and the person can ask again. Throws 429.
 */
export async function askReset(
  deps: UseCaseDeps,
  { email, address }: { email: string; address: string },
): Promise<void> {
  deps.peopleLimits.reset.take(address);
  sendReset(deps, emailAsStored(email)).catch((thrown: unknown) =>
    deps.log.warn({ error: asError(thrown) }, 'portal.reset-not-mailed'),
  );
}

async function sendReset(deps: UseCaseDeps, email: string): Promise<void> {
  const person = await personAt(deps, email);
  if (person === null) return;
  deps.peopleLimits.mailReset.take(email);
  await (deps.settings.sendsMail ? mailReset(deps, person) : noteReset(deps, person));
}

/** For operators, who verify the person themselves. Throws 404 `not_found`. */
export async function makeResetLink(
  deps: UseCaseDeps,
  email: string,
): Promise<{ link: string; expiresAt: number }> {
  return newLinkFor(deps, await personAt(deps, emailAsStored(email)));
}

/** As `makeResetLink`, by account id, whether or not its address is confirmed. Throws 404 `not_found`. */
export async function makeAccountResetLink(
  deps: UseCaseDeps,
  accountId: string,
): Promise<{ link: string; expiresAt: number }> {
  const account = await deps.stores.accounts.byId(accountId);
  const person = account === null ? null : await personUnder(deps, account.email);
  // Two accounts that get an address at the same moment may both have it, one of them by a person.
  return newLinkFor(deps, person?.accountId === accountId ? person : null);
}

async function newLinkFor(
  deps: UseCaseDeps,
  person: Person | null,
): Promise<{ link: string; expiresAt: number }> {
  if (person === null) throw fault('not_found', { what: 'Account' });
  deps.log.info({ account: person.accountId, person: person.id }, 'portal.reset-link-made');
  const made = await newPassLink(deps, person, 'reset');
  await audit(deps, 'person.reset-link-made', null, personSnapshot(person));
  return made;
}

/** null for the stored form of an unconfirmed address, because anybody may have created its person. [faults: 177] */
async function personAt(deps: UseCaseDeps, email: string): Promise<Person | null> {
  return isConfirmed(email) ? personUnder(deps, email) : null;
}

async function personUnder(deps: UseCaseDeps, stored: string): Promise<Person | null> {
  return (await deps.stores.people.byEmail(stored)) ?? personWithoutPassword(deps, stored);
}

/**
 * Creates the first person of an account that an operator created. If the account has people, its address creates no further owner:
 * the address may belong to somebody who has left. [faults: 163]
 */
async function personWithoutPassword(deps: UseCaseDeps, email: string): Promise<Person | null> {
  const { accounts, people } = deps.stores;
  const account = await accounts.byEmail(email);
  if (account === null) return null;
  if ((await people.ofAccount(account.id)).length === 0)
    await people.insert(newFounder(account, deps.clock.now()));
  return people.byEmail(email);
}

/** Whether the token is of an unused, unexpired reset link. */
export async function isResetLink(deps: UseCaseDeps, token: string): Promise<boolean> {
  return (await findPassPerson(deps, token, 'reset', 'find')) !== null;
}

/** Only a valid password consumes the link. null: the link is used, expired or invalid. Throws 422 `validation`. */
export async function resetPassword(
  deps: UseCaseDeps,
  { token, password }: { token: string; password: string },
): Promise<(SignedIn & { olderKeysUntil: number | null }) | null> {
  const asking = await findPassPerson(deps, token, 'reset', 'find');
  if (asking === null) return null;
  checkPassword(password, asking.email);
  // Consumed before hashing, so that concurrent uses of a link cost one hash.
  const taken = await findHolder(deps, token, 'reset', 'take');
  if (taken === null) return null;
  const { person, pass } = taken;
  const passwordHash = await hashOrGiveBack(deps, password, pass);
  forgetTries(deps, person.email);
  const signedIn = await setPassword(deps, person, passwordHash);
  // A reset by mail also proves the address.
  await confirmAddress(deps, person);
  return { ...signedIn, olderKeysUntil: await timeOfNewestKey(deps, person) };
}

/** Hashes the password; if that fails (too many hashes wait), the consumed pass is restored. */
export async function hashOrGiveBack(deps: UseCaseDeps, password: string, pass: Pass): Promise<string> {
  try {
    return await deps.passwords.hash(password, knownPlace(pass.personId));
  } catch (error) {
    await deps.stores.passes.insert(pass);
    throw error;
  }
}

/** Ends all other sessions. Throws 422 `validation`, also if `current` is wrong, 429. */
export async function changePassword(
  deps: UseCaseDeps,
  { personId: id, email, caller: { accountId } }: Visitor,
  { current, password, address }: { current: string; password: string; address: string },
): Promise<SignedIn> {
  const find = () => deps.stores.people.byId(id);
  const found = await findByPassword(deps, { email, password: current, address, isKnown: true }, find);
  requireValid({
    current: found === null ? 'This is not your password.' : null,
    password: passwordProblem(password, email),
  });
  return setPassword(deps, { id, accountId }, await deps.passwords.hash(password, knownPlace(email)));
}

/** The new password version invalidates all earlier sessions and links. */
async function setPassword(
  deps: UseCaseDeps,
  person: Pick<Person, 'id' | 'accountId'>,
  passwordHash: string,
): Promise<SignedIn> {
  const passwordVersion = newId();
  const { id } = person;
  const isSet = await deps.stores.people.setPassword(id, { passwordHash, passwordVersion });
  if (!isSet) throw fault('not_found', { what: 'Account' });
  await audit(deps, 'person.password-set', null, personSnapshot(person));
  return newPass(deps, { id, passwordVersion }, 'session');
}

/** Creation time of the newest API key: somebody with the old password may have created it. null: none, or none allowed. [faults: 134] */
async function timeOfNewestKey(
  deps: UseCaseDeps,
  { accountId, role }: Pick<Person, 'accountId' | 'role'>,
): Promise<number | null> {
  if (!mayAs(role, 'developer')) return null;
  const { items } = await deps.stores.keys.page(accountId, { limit: 1, cursor: null });
  return items[0]?.createdAt ?? null;
}
