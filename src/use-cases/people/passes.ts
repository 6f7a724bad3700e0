import type { Pass, PassKind, Person } from '../../domain/accounts/person.ts';
import { hashSecret, newSecret } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { SignedIn } from './types.ts';

const hourMs = 3_600_000;
/** Of a person: operators are nobody of an account. */
type PersonPass = Exclude<PassKind, 'operator'>;
const lives: Record<PersonPass, number> = {
  session: 14 * 24 * hourMs,
  reset: hourMs,
  confirm: 72 * hourMs,
  invite: 72 * hourMs,
};

/** Of one person; the oldest goes. An invitation's newest link is its only one. [faults: 113] */
const mostAtOnce: Partial<Record<PersonPass, number>> = { session: 20, invite: 1 };

/**
 * A fresh secret each time: a session never goes on under an id that was known before sign-in. Room is made before it, so that of two of
 * one millisecond the later stays; and after it, so that of those made at once no more stay than may.
 */
export async function newPass(
  deps: UseCaseDeps,
  { id: personId, passwordVersion }: Pick<Person, 'id' | 'passwordVersion'>,
  kind: PersonPass,
): Promise<SignedIn> {
  const secret = newSecret();
  const createdAt = deps.clock.now();
  const expiresAt = createdAt + lives[kind];
  const most = mostAtOnce[kind];
  if (most !== undefined) await deps.stores.passes.keepNewest(personId, kind, most - 1);
  await deps.stores.passes.insert({
    id: hashSecret(secret),
    personId,
    kind,
    passwordVersion,
    createdAt,
    expiresAt,
  });
  if (most !== undefined) await deps.stores.passes.keepNewest(personId, kind, most);
  return { secret, expiresAt };
}

/** The person a pass was handed to, unless their password has changed since. `take`: it is used up. */
export async function findPassPerson(
  deps: UseCaseDeps,
  secret: string,
  kind: PersonPass,
  use: 'find' | 'take',
): Promise<Person | null> {
  return (await findHolder(deps, secret, kind, use))?.person ?? null;
}

/** With the pass itself, for whoever may have to give it back. */
export async function findHolder(
  deps: UseCaseDeps,
  secret: string,
  kind: PersonPass,
  use: 'find' | 'take',
): Promise<{ person: Person; pass: Pass } | null> {
  if (!/^[\w-]{43}$/.test(secret)) return null;
  const pass = await deps.stores.passes[use](hashSecret(secret), kind, deps.clock.now());
  const person = pass === null ? null : await deps.stores.people.byId(pass.personId);
  if (pass === null || person === null) return null;
  return person.passwordVersion === pass.passwordVersion ? { person, pass } : null;
}
