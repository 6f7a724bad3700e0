/**
 * The second step of signing in: a code of an app, or a recovery code, after the password. Until then a browser has a pass that opens
 * nothing else. A code is taken once: with its period, all earlier ones are over. [faults: 378]
 */
import type { Actor } from '../../rules/caller.ts';
import type { Person } from '../../rules/person.ts';
import { asError, fieldFault } from '../../kernel/faults.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { World } from '../world.ts';
import { periodOf } from './one-time-codes.ts';
import { findHolder, newPass } from './passes.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import type { Begun, SessionOrigin, SignedIn } from './types.ts';

/** After the right password: a session, or the pass with which the code is asked for. */
export async function beginSession(
  world: World,
  person: Pick<Person, 'id' | 'passwordVersion' | 'stepSecret'>,
  origin: SessionOrigin,
): Promise<Begun> {
  const kind = person.stepSecret === null ? 'session' : 'step';
  return { ...(await newPass(world, person, kind, origin)), awaitsCode: kind === 'step' };
}

/** Whether this browser's person still has to give the code. */
export async function awaitsCode(world: World, secret: string): Promise<boolean> {
  return (await findHolder(world, secret, 'step', 'find')) !== null;
}

/** null: the pass is over, so that the password is asked for again. Throws 422 `validation` for a wrong code, 429. */
export async function giveCode(
  world: World,
  by: Actor | undefined,
  { secret, code, agent }: { secret: string; code: string; agent: string | null },
): Promise<SignedIn | null> {
  const held = await findHolder(world, secret, 'step', 'find');
  if (held === null) return null;
  const { person } = held;
  await requireCode(world, by, person, code);
  if ((await findHolder(world, secret, 'step', 'take')) === null) return null;
  return newPass(world, person, 'session', { address: by?.address ?? null, agent });
}

/** Counted before it is looked at. A right one is given back. */
async function requireCode(world: World, by: Actor | undefined, person: Person, code: string): Promise<void> {
  world.peopleLimits.secondStep.take(person.id);
  const isRight = (await isOfApp(world, person, code)) || (await useRecoveryCode(world, by, person, code));
  if (!isRight) throw wrongCode();
  world.peopleLimits.secondStep.giveBack(person.id);
}

export function wrongCode(): Error {
  return fieldFault(['body', 'code'], 'This code is wrong, or was used already. Wait for the next one.');
}

async function isOfApp({ stores, clock, ...world }: World, person: Person, code: string): Promise<boolean> {
  const secret = openSecret(world, person);
  const period = secret === null ? null : periodOf(secret, code, clock.wall());
  return period !== null && (await stores.people.useStep(person.id, period));
}

/** null if it was sealed under a key that is not configured any more: recovery codes still work. */
function openSecret(
  { sealer, log }: Pick<World, 'sealer' | 'log'>,
  { id, stepSecret }: Person,
): string | null {
  if (stepSecret === null) return null;
  try {
    return sealer.openText(stepSecret, sealContext.secondStep(id));
  } catch (thrown) {
    log.warn({ person: id, error: asError(thrown) }, 'portal.second-step-unreadable');
    return null;
  }
}
