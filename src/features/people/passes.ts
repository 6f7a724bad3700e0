import { confirmPath, invitationPath, newAddressPath, resetPath } from '../../rules/portal-paths.ts';
import type { Pass, PassKind, Person } from '../../rules/person.ts';
import { hourMs, dayMs, minuteMs } from '../../kernel/clock.ts';
import { hashSecret, newSecret } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import type { SessionOrigin, SignedIn } from './types.ts';

/** Passes of people; operators are no people of an account. */
type PersonPass = Exclude<PassKind, 'operator' | 'recovery'>;
const lifetimesMs: Record<PersonPass, number> = {
  session: 14 * dayMs,
  step: 10 * minuteMs,
  reset: hourMs,
  confirm: 72 * hourMs,
  address: dayMs,
  invite: 72 * hourMs,
};

/** Most passes per person; the oldest is dropped. Only the newest link to join, or to a new address, is valid. [faults: 113] */
const maxPerPerson: Partial<Record<PersonPass, number>> = { session: 20, step: 5, address: 1, invite: 1 };

/**
 * Always a fresh secret, so that a session never continues under an id known before sign-in. Old passes are trimmed before the insert, so
 * that of two passes in one millisecond the later one is kept, and after it, so that concurrent inserts respect the bound.
 */
export async function newPass(
  world: World,
  { id: personId, passwordVersion }: Pick<Person, 'id' | 'passwordVersion'>,
  kind: PersonPass,
  { address = null, agent = null, email = null }: Partial<SessionOrigin & Pick<Pass, 'email'>> = {},
): Promise<SignedIn> {
  const secret = newSecret();
  const createdAt = world.clock.now();
  const expiresAt = createdAt + lifetimesMs[kind];
  const most = maxPerPerson[kind];
  if (most !== undefined) await world.stores.passes.keepNewest(personId, kind, most - 1);
  await world.stores.passes.insert({
    id: hashSecret(secret),
    personId,
    kind,
    passwordVersion,
    createdAt,
    expiresAt,
    address,
    agent,
    seenAt: null,
    email,
  });
  if (most !== undefined) await world.stores.passes.keepNewest(personId, kind, most);
  return { secret, expiresAt };
}

/** The portal's page that takes the pass of each link. */
const linkPaths = {
  reset: resetPath,
  confirm: confirmPath,
  address: newAddressPath,
  invite: invitationPath,
} as const;

/** A link with a new pass: works once, for the pass's lifetime, and not after a later change of password. */
export async function newPassLink(
  world: World,
  person: Person,
  kind: keyof typeof linkPaths,
  of: Partial<Pick<Pass, 'email'>> = {},
): Promise<{ link: string; expiresAt: number }> {
  const { secret, expiresAt } = await newPass(world, person, kind, of);
  return { link: `${world.settings.baseUrl}${linkPaths[kind]}?token=${secret}`, expiresAt };
}

/** The person of a pass, unless their password has changed since. `take` consumes the pass. */
export async function findPassPerson(
  world: World,
  secret: string,
  kind: PersonPass,
  use: 'find' | 'take',
): Promise<Person | null> {
  return (await findHolder(world, secret, kind, use))?.person ?? null;
}

/** As `findPassPerson`, with the pass itself, for callers that may have to restore it. */
export async function findHolder(
  world: World,
  secret: string,
  kind: PersonPass,
  use: 'find' | 'take',
): Promise<{ person: Person; pass: Pass } | null> {
  if (!/^[\w-]{43}$/.test(secret)) return null;
  const pass = await world.stores.passes[use](hashSecret(secret), kind, world.clock.now());
  const person = pass === null ? null : await world.stores.people.byId(pass.personId);
  if (pass === null || person === null) return null;
  return person.passwordVersion === pass.passwordVersion ? { person, pass } : null;
}
