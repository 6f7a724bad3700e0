import { addressIn } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import { linkPlace } from '../../domain/mails/letter.ts';
import type { UseCaseDeps } from '../deps.ts';
import { writeMail } from '../write-mail.ts';
import type { EmailOwner } from './email-owner.ts';
import { addressed } from './mails.ts';
import type { Visitor } from './types.ts';

const kind = 'portal-invite';

/** The only user-chosen text in this mail is the inviter's address, which is confirmed. */
export async function mailInvitation(
  deps: UseCaseDeps,
  by: Visitor,
  { person, link }: { person: Person; link: string },
): Promise<void> {
  await writeMail(deps, {
    ...addressed(person),
    kind,
    subject: 'You are invited to an account',
    lines: [
      `${by.email} invites you to join their account in the portal, as ${person.role}. To accept, open this link within three days and choose a password:`,
      linkPlace,
      'If you do not know this address, ignore this mail.',
    ],
    link,
  });
}

/** For a recipient who has an account already; the inviter does not learn it. */
export async function mailHasAccount(deps: UseCaseDeps, by: Visitor, holder: EmailOwner): Promise<void> {
  await writeMail(deps, {
    ...holder,
    kind: 'portal-known',
    subject: 'You are invited, but have an account already',
    lines: [
      `${by.email} invites you to join their account in the portal. Your e-mail address already has an account, and an address can have only one.`,
      'To join, ask for an invitation to another e-mail address. If you do not know who invites you, ignore this mail.',
    ],
  });
}

/** Without a mail server: asks the operators to verify the invited person and then create the link. */
export async function noteInvitation(deps: UseCaseDeps, by: Visitor, person: Person): Promise<void> {
  await writeMail(deps, {
    accountId: person.accountId,
    kind,
    subject: 'Somebody is invited to an account',
    lines: [
      `${by.email} invites ${addressIn(person.email)} as ${person.role}. Verify that this person owns the address; then create a link and give it to that person only:`,
      `npm run admin -- invitation-link ${person.id}`,
    ],
  });
}
