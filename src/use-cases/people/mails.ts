import type { Person } from '../../domain/accounts/person.ts';
import type { UseCaseDeps } from '../deps.ts';
import { writeMail } from '../write-mail.ts';
import { newPass } from './passes.ts';

/** The link may be used once and within an hour; a later password makes it void. */
export async function mailReset(deps: UseCaseDeps, person: Person): Promise<void> {
  const { secret } = await newPass(deps, person, 'reset');
  await writeMail(deps, {
    accountId: person.id,
    kind: 'portal-reset',
    subject: 'Set a new password',
    lines: [
      'Somebody, probably you, asked for a new password for the portal. To set one, open this link within an hour:',
      `${deps.settings.baseUrl}/portal/reset?token=${secret}`,
      'If it was not you, do nothing: your password stays as it is.',
    ],
  });
}

export async function mailConfirmation(deps: UseCaseDeps, person: Person): Promise<void> {
  const { secret } = await newPass(deps, person, 'confirm');
  await writeMail(deps, {
    accountId: person.id,
    kind: 'portal-confirm',
    subject: 'Confirm your e-mail address',
    lines: [
      'To confirm that this is your address, open this link within three days:',
      `${deps.settings.baseUrl}/portal/confirm?token=${secret}`,
      'If you did not sign up, do nothing.',
    ],
  });
}

/** To who has the address, when somebody signs up with it: whoever that is learns nothing. */
export async function mailKnown(deps: UseCaseDeps, accountId: string): Promise<void> {
  const { baseUrl } = deps.settings;
  await writeMail(deps, {
    accountId,
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
