import { addressIn, emailAsStored, isConfirmed, maxEmail } from '../../rules/email.ts';
import type { Pass, Person, Visitor } from '../../rules/person.ts';
import { hourMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import { isKnownBrowser, knownBrowser } from './known-browser.ts';
import { findHolder } from './passes.ts';
import { beginSession } from './second-step.ts';
import { findByPassword } from './passwords.ts';
import type { SignedInBefore, SignInRequest } from './types.ts';

/**
 * Every failure takes the same time and gives the same answer. Each try counts for the client's address and the account before the
 * password is verified; a correct one is taken back. null: unknown address or wrong password, indistinguishably. Throws 429.
 */
export async function signIn(
  world: World,
  { email, password, address, browser = '', agent = null }: SignInRequest,
): Promise<SignedInBefore | null> {
  const name = emailAsStored(email).slice(0, maxEmail);
  const find = async () => (isConfirmed(name) ? world.stores.people.byEmail(name) : null);
  const isKnown = isKnownBrowser(world, name, browser);
  const person = await findByPassword(world, { email: name, password, address, isKnown }, find);
  if (person === null) return null;
  return { ...(await beginSession(world, person, { address, agent })), ...knownBrowser(world, name) };
}

export async function signOut(world: World, secret: string): Promise<void> {
  await world.stores.passes.take(hashSecret(secret), 'session', world.clock.now());
}

/** null: the secret is of no valid session. */
export async function visitor(world: World, secret: string): Promise<Visitor | null> {
  const held = await findHolder(world, secret, 'session', 'find');
  if (held === null) return null;
  const { person, pass } = held;
  noteSeen(world, person);
  noteUsed(world, pass);
  const { id: personId, accountId, role } = person;
  const email = addressIn(person.email);
  const account = await world.stores.accounts.byId(accountId);
  return {
    personId,
    email,
    role,
    caller: { accountId, apiKeyId: portalKeyId, person: { id: personId, email } },
    mayAct: person.confirmedAt !== null,
    accountName: account?.name ?? null,
    isSuspended: await world.suspensions.isSuspended(accountId),
    suspendedWhy: account?.suspendedWhy ?? null,
  };
}

/** Once an hour, without delaying the request. */
function noteSeen({ stores, clock, log }: World, { id, lastSeenAt }: Person): void {
  const now = clock.now();
  if (lastSeenAt !== null && now - lastSeenAt < hourMs) return;
  stores.people
    .noteSeen(id, now)
    .catch((thrown: unknown) => log.warn({ error: asError(thrown), person: id }, 'portal.not-noted-seen'));
}

/** As `noteSeen`, of the session. The sign-in itself is a use. */
function noteUsed({ stores, clock, log }: World, { id, createdAt, seenAt }: Pass): void {
  const now = clock.now();
  if (now - (seenAt ?? createdAt) < hourMs) return;
  stores.passes
    .noteSeen(id, now)
    .catch((thrown: unknown) => log.warn({ error: asError(thrown) }, 'portal.not-noted-used'));
}

/** Stands for the API key in a portal caller; no real key has this id. */
const portalKeyId = 'portal';
