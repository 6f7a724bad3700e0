/** Recovery codes: each works once in place of a code of the app. Stored as passes, which one caller takes. */
import type { Actor } from '../../rules/caller.ts';
import type { Pass, Person } from '../../rules/person.ts';
import { dayMs } from '../../kernel/clock.ts';
import { hashSecret } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { newRecoveryCodes, tidyRecoveryCode } from './one-time-codes.ts';
import { shownOf } from './snapshot.ts';
import { mailCodeUsed } from './step-mails.ts';

/** As long as the person has the second step; a pass must have an end. */
const recoveryMs = 36_500 * dayMs;

/** Whether the text is a code of the person that was not used yet; it is used then. */
export async function useRecoveryCode(
  world: World,
  by: Actor | undefined,
  person: Person,
  code: string,
): Promise<boolean> {
  const tidy = tidyRecoveryCode(code);
  if (tidy === null) return false;
  const { passes } = world.stores;
  const now = world.clock.now();
  if ((await passes.takeOf(person.id, recoveryId(person.id, tidy), 'recovery', now)) === null) return false;
  const left = (await passes.list(person.id, 'recovery', now)).length;
  const shown = (codes: number) => shownOf(person, { recovery_codes: codes });
  await audit(world, by, 'person.recovery-code-used', shown(left + 1), shown(left));
  await mailCodeUsed(world, person, left);
  return true;
}

/** With the person, so that nobody can have the code of somebody else. */
const recoveryId = (personId: string, code: string): string => hashSecret(`recovery:${personId}:${code}`);

/** Returns new codes, which are shown once; earlier ones work no longer. */
export async function replaceCodes({ stores, clock }: World, personId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  const createdAt = clock.now();
  await stores.passes.keepNewest(personId, 'recovery', 0);
  for (const code of codes)
    await stores.passes.insert({
      id: recoveryId(personId, code),
      personId,
      kind: 'recovery',
      passwordVersion: '',
      createdAt,
      expiresAt: createdAt + recoveryMs,
      ...noOrigin,
    });
  // Of two calls at once the later one's stay.
  await stores.passes.keepNewest(personId, 'recovery', codes.length);
  return codes;
}

const noOrigin: Pick<Pass, 'address' | 'agent' | 'seenAt' | 'email'> = {
  address: null,
  agent: null,
  seenAt: null,
  email: null,
};
