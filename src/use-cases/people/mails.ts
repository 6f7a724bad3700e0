import { addressIn } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import { linkPlace } from '../../domain/mails/letter.ts';
import type { UseCaseDeps } from '../deps.ts';
import { writeMail } from '../write-mail.ts';
import type { Holder } from './holder.ts';
import { newPass } from './passes.ts';

/** Whatever a session may read of the outbox, these prove more than a session does. [faults: 135] */
const kindsOfProof: ReadonlySet<string> = new Set(['portal-reset', 'portal-confirm', 'portal-invite']);

export function isProof({ kind }: { kind: string }): boolean {
  return kindsOfProof.has(kind);
}

/** Their own address, which is not the account's for all but one of its people. */
export function addressed({ accountId, email }: Person): Holder {
  return { accountId, recipient: addressIn(email) };
}

/** The link may be used once and within an hour; a later password makes it void. */
export async function newResetLink(
  deps: UseCaseDeps,
  person: Person,
): Promise<{ link: string; expiresAt: number }> {
  const { secret, expiresAt } = await newPass(deps, person, 'reset');
  return { link: `${deps.settings.baseUrl}/portal/reset?token=${secret}`, expiresAt };
}

export async function mailReset(deps: UseCaseDeps, person: Person): Promise<void> {
  const { link } = await newResetLink(deps, person);
  await writeMail(deps, {
    ...addressed(person),
    kind: 'portal-reset',
    subject: 'Set a new password',
    lines: [
      'Somebody, probably you, asked for a new password for the portal. To set one, open this link within an hour:',
      linkPlace,
      'If it was not you, do nothing: your password stays as it is.',
    ],
    link,
  });
}

/** Without a mail server: no link is made until the operators know who asks. The address is not in the line to paste: a person chose it. */
export async function noteReset(deps: UseCaseDeps, { accountId, email }: Person): Promise<void> {
  await writeMail(deps, {
    accountId,
    kind: 'portal-reset',
    subject: 'A new password was asked for',
    lines: [
      `Somebody asked for a new password for ${email}. Once you know that it is who has this address, make a link and hand it over:`,
      'npm run admin -- reset-link EMAIL',
    ],
  });
}

export async function mailConfirmation(deps: UseCaseDeps, person: Person): Promise<void> {
  const { secret } = await newPass(deps, person, 'confirm');
  await writeMail(deps, {
    ...addressed(person),
    kind: 'portal-confirm',
    subject: 'Confirm your e-mail address',
    lines: [
      'To confirm that this is your address, open this link within three days:',
      linkPlace,
      'If you did not sign up, do nothing.',
    ],
    link: `${deps.settings.baseUrl}/portal/confirm?token=${secret}`,
  });
}

/** To who has the address, when somebody signs up with it: whoever that is learns nothing. */
export async function mailKnown(deps: UseCaseDeps, holder: Holder): Promise<void> {
  const { baseUrl } = deps.settings;
  await writeMail(deps, {
    ...holder,
    kind: 'portal-known',
    subject: 'You have an account already',
    lines: [
      'Somebody, probably you, signed up at the portal with this address. It has an account already. Sign in to it:',
      `${baseUrl}/portal/sign-in`,
      'If you do not know the password any more, set a new one:',
      `${baseUrl}/portal/forgot`,
      'If it was not you, do nothing: whoever it was sees nothing of your account.',
    ],
  });
}
