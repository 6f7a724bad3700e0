import { addressIn, emailAsStored, isProved, maxEmail } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import { asError } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import { newPass, findPassPerson } from './passes.ts';
import { findByPassword } from './password-try.ts';
import type { SignedIn, SignInRequest, Visitor } from './types.ts';

/**
 * Whatever is wrong takes as long and says the same. Every try counts against the address it came from and the account, before the
 * password is looked at; a right one is no guess. null: unknown address or wrong password, and nobody is told which. Throws 429.
 */
export async function signIn(
  deps: UseCaseDeps,
  { email, password, address }: SignInRequest,
): Promise<SignedIn | null> {
  const name = emailAsStored(email).slice(0, maxEmail);
  const find = async () => (isProved(name) ? deps.stores.people.byEmail(name) : null);
  const person = await findByPassword(deps, { email: name, password, address }, find);
  return person === null ? null : newPass(deps, person, 'session');
}

export async function signOut(deps: UseCaseDeps, secret: string): Promise<void> {
  await deps.stores.passes.take(hashSecret(secret), 'session', deps.clock.now());
}

/** null: nobody is signed in with this. */
export async function visitor(deps: UseCaseDeps, secret: string): Promise<Visitor | null> {
  const person = await findPassPerson(deps, secret, 'session', 'find');
  if (person === null) return null;
  noteSeen(deps, person);
  const { id: personId, accountId, role } = person;
  const email = addressIn(person.email);
  return {
    personId,
    email,
    role,
    caller: { accountId, apiKeyId: portalKeyId, person: { id: personId, email } },
    mayAct: person.confirmedAt !== null,
    isSuspended: await deps.suspensions.isSuspended(accountId),
  };
}

const hourMs = 3_600_000;

/** Once an hour, and no page waits for it. */
function noteSeen({ stores, clock, log }: UseCaseDeps, { id, lastSeenAt }: Person): void {
  const now = clock.now();
  if (lastSeenAt !== null && now - lastSeenAt < hourMs) return;
  stores.people
    .noteSeen(id, now)
    .catch((thrown: unknown) => log.warn({ error: asError(thrown), person: id }, 'portal.not-noted-seen'));
}

/** What the portal does stands under no API key: such an id is none of any key's. */
const portalKeyId = 'portal';
