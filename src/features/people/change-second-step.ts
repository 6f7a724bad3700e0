/** A person switches the second step of signing in on and off, and gets recovery codes. [faults: 378] */
import type { Actor } from '../../rules/caller.ts';
import type { Person, Visitor } from '../../rules/person.ts';
import { fault } from '../../kernel/faults.ts';
import { sealContext } from '../../kernel/sealed.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { World } from '../world.ts';
import { newStepSecret, periodOf, stepAddress } from './one-time-codes.ts';
import { requirePassword } from './passwords.ts';
import { replaceCodes } from './recovery-codes.ts';
import { wrongCode } from './second-step.ts';
import { personSnapshot, shownOf } from './snapshot.ts';
import { mailStepChange } from './step-mails.ts';
import type { Credentials } from './types.ts';

interface StepState {
  isOn: boolean;
  since: number | null;
  /** How many are left. */
  recoveryCodes: number;
}

export async function readStep({ stores, clock }: World, { personId }: Visitor): Promise<StepState> {
  const person = await stores.people.byId(personId);
  const codes = await stores.passes.list(personId, 'recovery', clock.now());
  const since = person?.stepSince ?? null;
  return { isOn: since !== null, since, recoveryCodes: codes.length };
}

/** A secret that the person may take: nothing is stored until a code of it was given. `offer` travels in the form. */
interface StepOffer {
  offer: string;
  secret: string;
  /** For the QR code. */
  address: string;
}

export function offerStep({ sealer }: Pick<World, 'sealer'>, by: Visitor, earlier: string | null): StepOffer {
  const known = earlier === null ? null : openOffer({ sealer }, by, earlier);
  const secret = known ?? newStepSecret();
  const sealed = sealer.seal(Buffer.from(secret), sealContext.secondStepOffer(by.personId));
  return { offer: Buffer.from(sealed).toString('base64url'), secret, address: stepAddress(secret, by.email) };
}

/** null: it is not one of ours for this person. */
function openOffer({ sealer }: Pick<World, 'sealer'>, { personId }: Visitor, offer: string): string | null {
  try {
    const sealed = Buffer.from(offer, 'base64url');
    return Buffer.from(sealer.open(sealed, sealContext.secondStepOffer(personId))).toString();
  } catch {
    return null;
  }
}

type StepRequest = Omit<Credentials, 'email'>;

/**
 * Returns the recovery codes, which are shown once. Throws 422 `validation` for a wrong code or password, 409 `conflict` if the person has
 * a second step already, 429.
 */
export async function startStep(
  world: World,
  by: Visitor,
  { offer, code, ...request }: StepRequest & { offer: string; code: string },
): Promise<string[]> {
  const secret = openOffer(world, by, offer);
  if (secret === null) throw fault('bad_request', { why: 'The form is out of date' });
  await requirePassword(world, by, request);
  world.peopleLimits.secondStep.take(by.personId);
  const period = periodOf(secret, code, world.clock.wall());
  if (period === null) throw wrongCode();
  world.peopleLimits.secondStep.giveBack(by.personId);
  const stepSecret = world.sealer.sealText(secret, sealContext.secondStep(by.personId));
  const begun = await world.stores.people.beginStep(by.personId, {
    stepSecret,
    stepUsed: period,
    stepSince: world.clock.now(),
  });
  if (!begun) throw fault('conflict', { why: 'The second step is on already' });
  const person = ofVisitor(by);
  await audit(world, by.caller.by, 'person.second-step', twoSteps(person, false), twoSteps(person, true));
  await mailStepChange(world, by.personId, 'on');
  return replaceCodes(world, by.personId);
}

/** As `startStep`; earlier codes work no longer. */
export async function renewCodes(world: World, by: Visitor, request: StepRequest): Promise<string[]> {
  await requirePassword(world, by, request);
  if (!(await readStep(world, by)).isOn) throw fault('conflict', { why: 'The second step is off' });
  const codes = await replaceCodes(world, by.personId);
  await audit(world, by.caller.by, 'person.recovery-codes-made', null, personSnapshot(ofVisitor(by)));
  await mailStepChange(world, by.personId, 'codes');
  return codes;
}

/** Throws 422 `validation` for a wrong password, 429. */
export async function stopStep(world: World, by: Visitor, request: StepRequest): Promise<void> {
  await requirePassword(world, by, request);
  await endStep(world, by.caller.by, ofVisitor(by), 'off');
}

/** For operators, who verify the person themselves: the password is enough again. Throws 404 `not_found`. */
export async function resetStep(world: World, by: Actor | undefined, personId: string): Promise<Person> {
  const person = await world.stores.people.byId(personId);
  if (person === null) throw fault('not_found', { what: 'Person' });
  await endStep(world, by, person, 'reset');
  return { ...person, stepSecret: null, stepUsed: null, stepSince: null };
}

async function endStep(
  world: World,
  by: Actor | undefined,
  person: Whose,
  how: 'off' | 'reset',
): Promise<void> {
  if (!(await world.stores.people.endStep(person.id))) return;
  await world.stores.passes.keepNewest(person.id, 'recovery', 0);
  await audit(world, by, 'person.second-step', twoSteps(person, true), twoSteps(person, false));
  await mailStepChange(world, person.id, how);
}

type Whose = Pick<Person, 'id' | 'accountId'>;

const ofVisitor = ({ personId: id, caller: { accountId } }: Visitor): Whose => ({ id, accountId });

function twoSteps(person: Whose, isOn: boolean): Snapshot {
  return shownOf(person, { two_steps: isOn });
}
