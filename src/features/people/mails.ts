import { addressIn } from '../../rules/email.ts';
import type { Person, Visitor } from '../../rules/person.ts';
import { linkPlace, writeAddress } from '../../rules/mails/letter.ts';
import { forgotPath, signInPath } from '../../rules/portal-paths.ts';
import type { World } from '../world.ts';
import type { EmailOwner } from './email-owner.ts';
import { newPassLink } from './passes.ts';
import { writeMail } from '../mails/index.ts';

/** Addresses a mail to the person, whose address need not be the account's. */
function addressed({ accountId, email }: Person): EmailOwner {
  return { accountId, recipient: addressIn(email) };
}

export async function mailReset(world: World, person: Person): Promise<void> {
  const { link } = await newPassLink(world, person, 'reset');
  await writeMail(world, {
    ...addressed(person),
    kind: 'portal-reset',
    subject: 'Set a new password',
    lines: [
      'Somebody, probably you, asked for a new password for the portal. To set one, open this link within an hour:',
      linkPlace,
      'If it was not you, ignore this e-mail: your password does not change.',
    ],
    link,
  });
}

const verifyFirst =
  'Verify that this person owns the address; then create a link and give it to that person only:';

/** Without a mail server: asks the operators to verify the person. The command to paste omits the address, because a person chose it. */
export async function noteReset(world: World, { accountId, email }: Person): Promise<void> {
  await writeMail(world, {
    accountId,
    kind: 'portal-reset',
    subject: 'A new password was requested',
    lines: [
      `Somebody requested a new password for ${writeAddress(email)}. ${verifyFirst}`,
      'npm run admin -- reset-link EMAIL',
    ],
  });
}

export async function mailConfirmation(world: World, person: Person): Promise<void> {
  const { link } = await newPassLink(world, person, 'confirm');
  await writeMail(world, {
    ...addressed(person),
    kind: 'portal-confirm',
    subject: 'Confirm your e-mail address',
    lines: [
      'To confirm that this is your address, open this link within three days:',
      linkPlace,
      'If you did not sign up, ignore this e-mail.',
    ],
    link,
  });
}

/** Mails the holder of an address when somebody signs up with it; the page that signed up reveals nothing. */
export async function mailKnown(world: World, holder: EmailOwner): Promise<void> {
  const { baseUrl } = world.settings;
  await writeMail(world, {
    ...holder,
    kind: 'portal-known',
    subject: 'You have an account already',
    lines: [
      'Somebody, probably you, signed up at the portal with this address, which already has an account. Sign in here:',
      `${baseUrl}${signInPath}`,
      'If you have forgotten the password, set a new one here:',
      `${baseUrl}${forgotPath}`,
      'If it was not you, ignore this e-mail: nobody gained access to your account.',
    ],
  });
}

/** The only user-chosen text in this mail is the inviter's address, which is confirmed. */
export async function mailInvitation(
  world: World,
  by: Visitor,
  { person, link }: { person: Person; link: string },
): Promise<void> {
  await writeMail(world, {
    ...addressed(person),
    kind: 'portal-invite',
    subject: 'You are invited to an account',
    lines: [
      `${writeAddress(by.email)} invites you to join their account in the portal, as ${person.role}. To accept, open this link within three days and choose a password:`,
      linkPlace,
      'If you do not know this address, ignore this e-mail.',
    ],
    link,
  });
}

/** For a recipient who has an account already; the inviter does not learn it. */
export async function mailHasAccount(world: World, by: Visitor, holder: EmailOwner): Promise<void> {
  await writeMail(world, {
    ...holder,
    kind: 'portal-known',
    subject: 'You are invited, but have an account already',
    lines: [
      `${writeAddress(by.email)} invites you to join their account in the portal. Your e-mail address already has an account, and an address can have only one.`,
      'To join, ask for an invitation to another e-mail address. If you do not know who invites you, ignore this e-mail.',
    ],
  });
}

/** Without a mail server: asks the operators to verify the invited person and then create the link. */
export async function noteInvitation(world: World, by: Visitor, person: Person): Promise<void> {
  await writeMail(world, {
    accountId: person.accountId,
    kind: 'portal-invite',
    subject: 'Somebody is invited to an account',
    lines: [
      `${writeAddress(by.email)} invites ${writeAddress(addressIn(person.email))} as ${person.role}. ${verifyFirst}`,
      `npm run admin -- invitation-link ${person.id}`,
    ],
  });
}
