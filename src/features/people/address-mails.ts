/** Mails about a person's new e-mail address. */
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import { writeAddress, linkPlace } from '../../rules/mails/letter.ts';
import { forgotPath } from '../../rules/portal-paths.ts';
import { writeMail } from '../mails/index.ts';
import type { World } from '../world.ts';
import { newPassLink } from './passes.ts';

export async function mailAddressLink(world: World, person: Person, email: string): Promise<void> {
  const { link } = await newPassLink(world, person, 'address', { email });
  await writeMail(world, {
    accountId: person.accountId,
    recipient: email,
    kind: 'portal-address',
    subject: 'Confirm your new e-mail address',
    lines: [
      'Somebody, probably you, wants to sign in at the portal with this address. To change to it, open this link within a day:',
      linkPlace,
      'If it was not you, ignore this e-mail: nothing changes.',
    ],
    link,
  });
}

/** To the present address, before anything changes. The link of the mail to the new one ends with the password. */
export async function mailAddressAsked(world: World, person: Person): Promise<void> {
  await toOldAddress(world, person, {
    subject: 'A new e-mail address was asked for',
    lines: [
      'Somebody, probably you, asked to sign in at the portal with another e-mail address. It changes when the link in the mail to that address is opened.',
      'If it was not you, somebody knows your password. Set a new one, and nothing changes:',
      `${world.settings.baseUrl}${forgotPath}`,
    ],
  });
}

export async function mailAddressChanged(world: World, person: Person, email: string): Promise<void> {
  await toOldAddress(world, person, {
    subject: 'Your e-mail address was changed',
    lines: [
      `You sign in at the portal with ${writeAddress(email)} from now on; mails no longer come to this address.`,
      'If it was not you, tell an owner of the account and the operators of the service.',
    ],
  });
}

/** To the holder of an address that somebody else wants: the page that asked reveals nothing. */
export async function mailAddressHeld(world: World, accountId: string, email: string): Promise<void> {
  await writeMail(world, {
    accountId,
    recipient: email,
    kind: 'portal-known',
    subject: 'Your address has an account already',
    lines: [
      'Somebody, probably you, wants to sign in to another account of the portal with this address. It has an account already, and an address can have only one: nothing was changed.',
      'If it was not you, ignore this e-mail: nobody gained access to your account.',
    ],
  });
}

async function toOldAddress(
  world: World,
  { accountId, email }: Person,
  letter: { subject: string; lines: string[] },
): Promise<void> {
  await writeMail(world, {
    accountId,
    recipient: addressIn(email),
    kind: 'portal-address-notice',
    ...letter,
  });
}
