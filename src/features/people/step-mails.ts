/**
 * Tells a person what became of the second step of signing in: whoever knows the password, and whoever has the recovery codes, need not be
 * the person. An address that nobody has proved gets nothing: it may be a stranger's. [faults: 406]
 */
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import { asError } from '../../kernel/faults.ts';
import { forgotPath } from '../../rules/portal-paths.ts';
import { writeMail } from '../mails/index.ts';
import type { World } from '../world.ts';

type Change = 'on' | 'off' | 'reset' | 'codes';

const letters: Record<Change, { subject: string; line: string }> = {
  on: {
    subject: 'Signing in takes a second step from now on',
    line: 'After the password the portal now asks for a code of the app that was set up, or for a recovery code.',
  },
  off: {
    subject: 'Signing in takes the password alone again',
    line: 'The second step of signing in at the portal was removed, with its recovery codes.',
  },
  reset: {
    subject: 'Signing in takes the password alone again',
    line: 'The operators of the service removed the second step of signing in at the portal, with its recovery codes.',
  },
  codes: {
    subject: 'New recovery codes were made',
    line: 'Recovery codes for signing in at the portal were made anew. Those before work no longer.',
  },
};

export async function mailStepChange(world: World, personId: string, change: Change): Promise<void> {
  await telling(world, personId, async () => {
    const person = await world.stores.people.byId(personId);
    if (person !== null) await tell(world, person, letters[change]);
  });
}

/** `left`: codes that the person has still. */
export async function mailCodeUsed(world: World, person: Person, left: number): Promise<void> {
  const rest = left === 1 ? 'One is left' : `${left} are left`;
  const line = `Somebody, probably you, signed in at the portal with the password and a recovery code. That code works no longer. ${rest}.`;
  const subject = 'A recovery code was used to sign in';
  await telling(world, person.id, () => tell(world, person, { subject, line }));
}

/** The change is made: a mail that cannot be written must not keep new codes from the person, or spend a code for nothing. */
async function telling({ log }: World, personId: string, mail: () => Promise<void>): Promise<void> {
  try {
    await mail();
  } catch (thrown) {
    log.warn({ person: personId, error: asError(thrown) }, 'portal.second-step-not-mailed');
  }
}

/** Only with a mail server: in an outbox that is read by hand it would warn nobody. */
async function tell(
  world: World,
  { accountId, email, confirmedAt }: Person,
  { subject, line }: { subject: string; line: string },
): Promise<void> {
  if (confirmedAt === null || !world.settings.sendsMail) return;
  await writeMail(world, {
    accountId,
    recipient: addressIn(email),
    kind: 'portal-second-step',
    subject,
    lines: [
      line,
      'If it was not you, set a new password, which ends all sessions, and tell an owner of the account or the operators of the service:',
      `${world.settings.baseUrl}${forgotPath}`,
    ],
  });
}
