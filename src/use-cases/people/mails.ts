import type { Person } from '../../domain/accounts/person.ts';
import { newId } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import { newPass } from './passes.ts';

/** The link may be used once and within an hour; a later password makes it void. */
export async function mailReset(deps: UseCaseDeps, person: Person): Promise<void> {
  const { secret } = await newPass(deps, person, 'reset');
  await mail(deps, person, 'portal-reset', 'Set a new password', [
    'Somebody, probably you, asked for a new password for the portal. To set one, open this link within an hour:',
    `${deps.settings.baseUrl}/portal/reset?token=${secret}`,
    'If it was not you, do nothing: your password stays as it is.',
  ]);
}

export async function mailConfirmation(deps: UseCaseDeps, person: Person): Promise<void> {
  const { secret } = await newPass(deps, person, 'confirm');
  await mail(deps, person, 'portal-confirm', 'Confirm your e-mail address', [
    'To confirm that this is your address, open this link within three days:',
    `${deps.settings.baseUrl}/portal/confirm?token=${secret}`,
    'If you did not sign up, do nothing.',
  ]);
}

async function mail(
  { stores, clock }: UseCaseDeps,
  { id: accountId }: Person,
  kind: string,
  subject: string,
  lines: string[],
): Promise<void> {
  const now = clock.now();
  await stores.mails.add({
    id: newId(),
    accountId,
    kind,
    subject,
    lines,
    sendAfter: now,
    sentAt: null,
    createdAt: now,
  });
}
