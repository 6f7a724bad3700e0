import { emailAsStored, isProved } from '../../domain/accounts/email.ts';
import type { Pass, Person } from '../../domain/accounts/person.ts';
import { mayAs } from '../../domain/accounts/role.ts';
import { asError, fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import { newFounder, proveAddress } from './holder.ts';
import { mailReset, newResetLink, noteReset } from './mails.ts';
import { findHolder, newPass, findPassPerson } from './passes.ts';
import { findByPassword } from './password-try.ts';
import { checkPassword } from './password.ts';
import type { SignedIn, Visitor } from './types.ts';

/**
 * Sends a link to a known address. It answers before anything is looked up, so that neither words nor time tell who is known;
 * what fails then is logged, and asked for again by whoever gets no mail. Throws 429.
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

/** For the operators, who know whom they give it to. Throws 404 `not_found`. */
export async function makeResetLink(
  deps: UseCaseDeps,
  email: string,
): Promise<{ link: string; expiresAt: number }> {
  return newLinkFor(deps, await personAt(deps, emailAsStored(email)));
}

/** The same for an account that operators see, its address proved or not. Throws 404 `not_found`. */
export async function makeAccountResetLink(
  deps: UseCaseDeps,
  accountId: string,
): Promise<{ link: string; expiresAt: number }> {
  const account = await deps.stores.accounts.byId(accountId);
  return newLinkFor(deps, account === null ? null : await personUnder(deps, account.email));
}

function newLinkFor(deps: UseCaseDeps, person: Person | null): Promise<{ link: string; expiresAt: number }> {
  if (person === null) throw fault('not_found', { what: 'Account' });
  deps.log.info({ account: person.accountId, person: person.id }, 'portal.reset-link-made');
  return newResetLink(deps, person);
}

/** What stands for an address that nobody has proved is no address: others have brought its person about. [faults: 177] */
async function personAt(deps: UseCaseDeps, email: string): Promise<Person | null> {
  return isProved(email) ? personUnder(deps, email) : null;
}

async function personUnder(deps: UseCaseDeps, stored: string): Promise<Person | null> {
  return (await deps.stores.people.byEmail(stored)) ?? personWithoutPassword(deps, stored);
}

/**
 * An account that an operator made has nobody who signs in until somebody asks for a password. Where there are people, an address that
 * none of them has makes nobody one of its owners: it may be of somebody who has gone. [faults: 163]
 */
async function personWithoutPassword(deps: UseCaseDeps, email: string): Promise<Person | null> {
  const { accounts, people } = deps.stores;
  const account = await accounts.byEmail(email);
  if (account === null) return null;
  if ((await people.ofAccount(account.id)).length === 0)
    await people.insert(newFounder(account, deps.clock.now()));
  return people.byEmail(email);
}

/** Whether a link was not used, has not expired and is one. */
export async function isResetLink(deps: UseCaseDeps, token: string): Promise<boolean> {
  return (await findPassPerson(deps, token, 'reset', 'find')) !== null;
}

/** The link is used up only by a password that could be set. null: the link was used, has expired or was never one. Throws 422 `validation`. */
export async function resetPassword(
  deps: UseCaseDeps,
  { token, password }: { token: string; password: string },
): Promise<(SignedIn & { olderKeysUntil: number | null }) | null> {
  const asking = await findPassPerson(deps, token, 'reset', 'find');
  if (asking === null) return null;
  checkPassword(password, asking.email);
  // Taken before the hash is made: however often a link is used at once, it costs one hash.
  const taken = await findHolder(deps, token, 'reset', 'take');
  if (taken === null) return null;
  const { person, pass } = taken;
  const passwordHash = await hashOrGiveBack(deps, password, pass);
  deps.peopleLimits.signInAccount.clear(person.email);
  deps.peopleLimits.passwordAccount.clear(person.email);
  const signedIn = await setPassword(deps, person.id, passwordHash);
  // Who sets a password by a mail has read it.
  await proveAddress(deps, person);
  return { ...signedIn, olderKeysUntil: await timeOfNewestKey(deps, person) };
}

/** Who is turned away because too many hashes wait has not used the link. */
export async function hashOrGiveBack(deps: UseCaseDeps, password: string, pass: Pass): Promise<string> {
  try {
    return await deps.passwords.hash(password);
  } catch (error) {
    await deps.stores.passes.insert(pass);
    throw error;
  }
}

/** Ends every other session. null: the current password is another. Throws 422 `validation`, 429. */
export async function changePassword(
  deps: UseCaseDeps,
  { personId, email }: Visitor,
  { current, password, address }: { current: string; password: string; address: string },
): Promise<SignedIn | null> {
  const find = () => deps.stores.people.byId(personId);
  if ((await findByPassword(deps, { email, password: current, address }, find)) === null) return null;
  checkPassword(password, email);
  return setPassword(deps, personId, await deps.passwords.hash(password));
}

/** The new version ends every session and voids every link that was handed out before. */
async function setPassword(deps: UseCaseDeps, personId: string, passwordHash: string): Promise<SignedIn> {
  const passwordVersion = newId();
  const isSet = await deps.stores.people.setPassword(personId, { passwordHash, passwordVersion });
  if (!isSet) throw fault('not_found', { what: 'Account' });
  return newPass(deps, { id: personId, passwordVersion }, 'session');
}

/** Keys outlive passwords: whoever had the old one may have made some. null: there is none, or they may make none. [faults: 134] */
async function timeOfNewestKey(
  deps: UseCaseDeps,
  { accountId, role }: Pick<Person, 'accountId' | 'role'>,
): Promise<number | null> {
  if (!mayAs(role, 'developer')) return null;
  const { items } = await deps.stores.keys.page(accountId, { limit: 1, cursor: null });
  return items[0]?.createdAt ?? null;
}
