import { addressIn } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import { linkPlace } from '../../domain/mails/letter.ts';
import type { UseCaseDeps } from '../deps.ts';
import { writeMail } from '../write-mail.ts';
import type { EmailOwner } from './email-owner.ts';
import { addressed } from './mails.ts';
import type { Visitor } from './types.ts';

const kind = 'portal-invite';

/** The only user-chosen text in this mail is the inviter's address, which is proved. */
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
      `${by.email} invites you to their account at the portal, as ${person.role}. To join, open this link within three days and choose a password:`,
      linkPlace,
      'If you do not know this address, do nothing.',
    ],
    link,
  });
}

/** For a recipient who has an account already; the inviter does not learn it. */
export async function mailHasAccount(deps: UseCaseDeps, by: Visitor, holder: EmailOwner): Promise<void> {
  await writeMail(deps, {
    ...holder,
    kind: 'portal-known',
    subject: 'You are invited, and have an account already',
    lines: [
      `${by.email} invites you to their account at the portal. This address has an account already, and an address has one account.`,
      'To join theirs, ask to be invited under another address. If you do not know who it is, do nothing.',
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
      `${by.email} invites ${addressIn(person.email)} as ${person.role}. Once you know that it is who has this address, make a link and hand it over:`,
      `npm run admin -- invitation-link ${person.id}`,
    ],
  });
}
