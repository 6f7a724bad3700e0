/** Sessions of the operators' console. The store has the hash of the session's secret, so that it is valid on every node. */
import type { Actor } from '../../rules/caller.ts';
import { hourMs } from '../../kernel/clock.ts';
import { hashSecret, newSecret } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import type { SignedIn } from '../people/index.ts';

const lifetimeMs = hourMs;
const maxSessions = 50;
/** Holder of all operator sessions: operators belong to no account. */
const personId = 'operators';

/** Call it after ADMIN_TOKEN was verified. `tokenHash` ties the session to the token: changing the token ends it. */
export async function beginOperating(
  world: World,
  by: Actor | undefined,
  tokenHash: string,
): Promise<SignedIn> {
  const { stores, clock } = world;
  const secret = newSecret();
  const createdAt = clock.now();
  const expiresAt = createdAt + lifetimeMs;
  const pass = { id: hashSecret(secret), personId, kind: 'operator', createdAt, expiresAt } as const;
  await stores.passes.insert({
    ...pass,
    passwordVersion: tokenHash,
    address: null,
    agent: null,
    seenAt: null,
    email: null,
  });
  await stores.passes.keepNewest(personId, 'operator', maxSessions);
  await audit(world, by, 'operator.signed-in', null, { accountId: null, subject: null, shown: null });
  return { secret, expiresAt };
}

export async function isOperating(
  { stores, clock }: World,
  secret: string,
  tokenHash: string,
): Promise<boolean> {
  const pass = await stores.passes.find(hashSecret(secret), 'operator', clock.now());
  return pass?.passwordVersion === tokenHash;
}

export async function endOperating({ stores, clock }: World, secret: string): Promise<void> {
  await stores.passes.take(hashSecret(secret), 'operator', clock.now());
}
