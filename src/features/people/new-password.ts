import type { Actor } from '../../rules/caller.ts';
import { emailAsStored, isConfirmed } from '../../rules/email.ts';
import type { Pass, Person, Visitor } from '../../rules/person.ts';
import { mayAs } from '../../rules/person.ts';
import { asError, fault, fieldFault, requireValid } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { newFounder, confirmAddress } from './email-owner.ts';
import { mailReset, noteReset } from './mails.ts';
import { findHolder, newPass, newPassLink, findPassPerson } from './passes.ts';
import { checkPassword, findByPassword, forgetTries, knownPlace, passwordProblem } from './passwords.ts';
import { beginSession } from './second-step.ts';
import { personSnapshot } from './snapshot.ts';
import type { Begun, LinkPassword, PasswordChange, SignedIn } from './types.ts';

/**
 * Mails a reset link to a known address. Resolves before any look-up, so that neither result nor duration reveals who is known;
 * a later failure is logged, and the person can ask again. Throws 429.
 */
export async function askReset(
  world: World,
  { email, address }: { email: string; address: string },
): Promise<void> {
  world.peopleLimits.reset.take(address);
  sendReset(world, emailAsStored(email)).catch((thrown: unknown) =>
    world.log.warn({ error: asError(thrown) }, 'portal.reset-not-mailed'),
  );
}

async function sendReset(world: World, email: string): Promise<void> {
  const person = await personAt(world, email);
  if (person === null) return;
  world.peopleLimits.mailReset.take(email);
  await (world.settings.sendsMail ? mailReset(world, person) : noteReset(world, person));
}

/** For operators, who verify the person themselves. Throws 404 `not_found`. */
export async function makeResetLink(
  world: World,
  by: Actor | undefined,
  email: string,
): Promise<{ link: string; expiresAt: number }> {
  return newLinkFor(world, by, await personAt(world, emailAsStored(email)));
}

/** As `makeResetLink`, by account id, whether or not its address is confirmed. Throws 404 `not_found`. */
export async function makeAccountResetLink(
  world: World,
  by: Actor | undefined,
  accountId: string,
): Promise<{ link: string; expiresAt: number }> {
  const account = await world.stores.accounts.byId(accountId);
  const person = account === null ? null : await personUnder(world, account.email);
  // Two accounts that get an address at the same moment may both have it, one of them by a person.
  return newLinkFor(world, by, person?.accountId === accountId ? person : null);
}

async function newLinkFor(
  world: World,
  by: Actor | undefined,
  person: Person | null,
): Promise<{ link: string; expiresAt: number }> {
  if (person === null) throw fault('not_found', { what: 'Account' });
  world.log.info({ account: person.accountId, person: person.id }, 'portal.reset-link-made');
  const made = await newPassLink(world, person, 'reset');
  await audit(world, by, 'person.reset-link-made', null, personSnapshot(person));
  return made;
}

/** null for the stored form of an unconfirmed address, because anybody may have created its person. [faults: 177] */
async function personAt(world: World, email: string): Promise<Person | null> {
  return isConfirmed(email) ? personUnder(world, email) : null;
}

async function personUnder(world: World, stored: string): Promise<Person | null> {
  return (await world.stores.people.byEmail(stored)) ?? personWithoutPassword(world, stored);
}

/**
 * Creates the first person of an account that an operator created. If the account has people, its address creates no further owner:
 * the address may belong to somebody who has left. [faults: 163]
 */
async function personWithoutPassword(world: World, email: string): Promise<Person | null> {
  const { accounts, people } = world.stores;
  const account = await accounts.byEmail(email);
  if (account === null) return null;
  if ((await people.ofAccount(account.id)).length === 0)
    await people.insert(newFounder(account, world.clock.now()));
  return people.byEmail(email);
}

/** Whether the token is of an unused, unexpired reset link. */
export async function isResetLink(world: World, token: string): Promise<boolean> {
  return (await findPassPerson(world, token, 'reset', 'find')) !== null;
}

/** Only a valid password consumes the link. null: the link is used, expired or invalid. Throws 422 `validation`. */
export async function resetPassword(
  world: World,
  by: Actor | undefined,
  { token, password, agent = null }: LinkPassword,
): Promise<(Begun & { olderKeysUntil: number | null }) | null> {
  const asking = await findPassPerson(world, token, 'reset', 'find');
  if (asking === null) return null;
  checkPassword(password, asking.email);
  // Consumed before hashing, so that concurrent uses of a link cost one hash.
  const taken = await findHolder(world, token, 'reset', 'take');
  if (taken === null) return null;
  const { person, pass } = taken;
  const passwordHash = await hashOrGiveBack(world, password, pass);
  forgetTries(world, person.email);
  const origin = { address: by?.address ?? null, agent };
  const passwordVersion = await setPassword(world, by, person, passwordHash);
  if (passwordVersion === null) return null;
  const signedIn = await beginSession(world, { ...person, passwordVersion }, origin);
  // A reset by mail also proves the address.
  await confirmAddress(world, person);
  return { ...signedIn, olderKeysUntil: await timeOfNewestKey(world, person) };
}

/** Hashes the password; if that fails (too many hashes wait), the consumed pass is restored. */
export async function hashOrGiveBack(world: World, password: string, pass: Pass): Promise<string> {
  try {
    return await world.passwords.hash(password, knownPlace(pass.personId));
  } catch (error) {
    await world.stores.passes.insert(pass);
    throw error;
  }
}

/** Ends all other sessions. Throws 422 `validation`, also if `current` is wrong, 429. */
export async function changePassword(
  world: World,
  { personId: id, email, caller: { accountId, by } }: Visitor,
  { current, password, address, agent = null }: PasswordChange,
): Promise<SignedIn> {
  const find = () => world.stores.people.byId(id);
  const found = await findByPassword(world, { email, password: current, address, isKnown: true }, find);
  requireValid({ current: found === null ? notYours : null, password: passwordProblem(password, email) });
  const passwordHash = await world.passwords.hash(password, knownPlace(email));
  const seen = { id, accountId, passwordVersion: found?.passwordVersion ?? '' };
  const passwordVersion = await setPassword(world, by, seen, passwordHash);
  // Somebody else was faster with the same one.
  if (passwordVersion === null) throw fieldFault(['body', 'current'], notYours);
  return newPass(world, { id, passwordVersion }, 'session', { address, agent });
}

const notYours = 'This is not your password.';

/**
 * Returns the new password version, which invalidates all earlier sessions and links. null: the person is gone, or has another password than
 * the one that was seen.
 */
async function setPassword(
  world: World,
  by: Actor | undefined,
  person: Pick<Person, 'id' | 'accountId' | 'passwordVersion'>,
  passwordHash: string,
): Promise<string | null> {
  const passwordVersion = newId();
  if (!(await world.stores.people.setPassword(person, { passwordHash, passwordVersion }))) return null;
  await audit(world, by, 'person.password-set', null, personSnapshot(person));
  return passwordVersion;
}

/** Creation time of the newest API key: somebody with the old password may have created it. null: none, or none allowed. [faults: 134] */
async function timeOfNewestKey(
  world: World,
  { accountId, role }: Pick<Person, 'accountId' | 'role'>,
): Promise<number | null> {
  if (!mayAs(role, 'developer')) return null;
  const { items } = await world.stores.keys.page(accountId, { limit: 1, cursor: null });
  return items[0]?.createdAt ?? null;
}
