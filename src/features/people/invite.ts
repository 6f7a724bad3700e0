/**
 * Invitations. An invited person is stored with an unconfirmed address, so that an invitation can't keep anybody from an account of
 * their own. The mailed link proves the address and sets the password. [operator-interface §4, people of an account]
 */
import type { Actor } from '../../rules/caller.ts';
import { addressIn, unconfirmedEmail } from '../../rules/email.ts';
import { hasJoined } from '../../rules/person.ts';
import type { Person, Role, Visitor } from '../../rules/person.ts';
import { asError, fault, fieldFault } from '../../kernel/faults.ts';
import { idFrom, newId } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { findEmailOwner, newPerson } from './email-owner.ts';
import { mailHasAccount, mailInvitation, noteInvitation } from './mails.ts';
import { hashOrGiveBack } from './new-password.ts';
import { findHolder, newPass, newPassLink, findPassPerson } from './passes.ts';
import { checkPassword } from './passwords.ts';
import { memberSnapshot, personSnapshot } from './snapshot.ts';
import { checkedRole, findPerson } from './members.ts';
import type { LinkPassword, Invitation, SignedIn } from './types.ts';
import { checkedEmail } from '../accounts/index.ts';

/** People of an account, invited ones included. */
const maxPeople = 50;

/**
 * Throws 422 `validation`, 400 `bad_request`, 429. With a mail server the answer, like that of sign-up, does not reveal whether the
 * address has an account of its own; only the mail says so. [faults: 133]
 */
export async function invite(
  world: World,
  by: Visitor,
  { email, role }: { email: string; role: string },
): Promise<Person> {
  const { accountId } = by.caller;
  const address = checkedEmail(email);
  const asked = checkedRole(role);
  await checkRoom(world, accountId, address);
  world.peopleLimits.invite.take(accountId);
  if (!world.settings.sendsMail && (await findEmailOwner(world, address)) !== null) throw hasAccountFault();
  const person = await newInvited(world, accountId, { address, role: asked });
  const outcome = await world.stores.people.invite(person, maxPeople);
  if (outcome === 'taken') throw isMemberFault();
  if (outcome === 'full') throw isFull();
  await audit(world, by.caller.by, 'person.invited', null, memberSnapshot(person));
  sendInvitation(world, by, person);
  return person;
}

/** Mails a new invitation link. Throws 404 `not_found` if the person has joined, 429. */
export async function inviteAgain(world: World, by: Visitor, personId: string): Promise<void> {
  const person = await findPerson(world, by, personId);
  if (hasJoined(person)) throw fault('not_found', { what: 'Invitation' });
  world.peopleLimits.invite.take(by.caller.accountId);
  sendInvitation(world, by, person);
  await audit(world, by.caller.by, 'person.invited-again', null, personSnapshot(person));
}

/** For operators without a mail server. Throws 404 `not_found`. */
export async function makeInvitationLink(
  world: World,
  by: Actor | undefined,
  personId: string,
): Promise<{ link: string; expiresAt: number }> {
  const person = await world.stores.people.byId(personId);
  if (person === null || hasJoined(person) || person.id === person.accountId) {
    throw fault('not_found', { what: 'Invitation' });
  }
  world.log.info({ account: person.accountId, person: person.id }, 'portal.invitation-link-made');
  const made = await newPassLink(world, person, 'invite');
  await audit(world, by, 'person.invitation-link-made', null, personSnapshot(person));
  return made;
}

/** null: the link is used, expired, revoked or invalid. */
export async function readInvitation(world: World, token: string): Promise<Invitation | null> {
  const person = await findPassPerson(world, token, 'invite', 'find');
  const account = person === null ? null : await world.stores.accounts.byId(person.accountId);
  if (person === null || account === null) return null;
  return {
    email: addressIn(person.email),
    role: person.role,
    account: account.name ?? addressIn(account.email),
  };
}

/** null: as `readInvitation`. Throws 422 `validation`, 409 `conflict` if the address has an account of its own. */
export async function acceptInvitation(
  world: World,
  by: Actor | undefined,
  { token, password, agent = null }: LinkPassword,
): Promise<SignedIn | null> {
  const invited = await findPassPerson(world, token, 'invite', 'find');
  if (invited === null) return null;
  const email = addressIn(invited.email);
  checkPassword(password, email);
  if ((await findEmailOwner(world, email)) !== null) throw fault('conflict', { why: hasAccountWords });
  const taken = await findHolder(world, token, 'invite', 'take');
  if (taken === null) return null;
  const passwordHash = await hashOrGiveBack(world, password, taken.pass);
  const passwordVersion = newId();
  const joined = { email, passwordHash, passwordVersion };
  if (!(await world.stores.people.join(invited.id, joined, world.clock.now()))) return null;
  await audit(world, by, 'person.joined', null, personSnapshot(invited));
  return newPass(world, { id: invited.id, passwordVersion }, 'session', {
    address: by?.address ?? null,
    agent,
  });
}

const hasAccountWords =
  'This address has an account of its own. An address has one account: use another address.';

function hasAccountFault(): Error {
  return fieldFault(['body', 'email'], hasAccountWords);
}

function isMemberFault(): Error {
  return fieldFault(['body', 'email'], 'This address is among the people of this account already.');
}

async function checkRoom(world: World, accountId: string, address: string): Promise<void> {
  const people = await world.stores.people.ofAccount(accountId);
  if (people.some(({ email }) => addressIn(email) === address)) {
    throw isMemberFault();
  }
  if (people.length >= maxPeople) throw isFull();
}

function isFull(): Error {
  return fault('bad_request', { why: `An account can have at most ${maxPeople} people: remove one first` });
}

async function newInvited(
  { stores, clock }: World,
  accountId: string,
  { address, role }: { address: string; role: Role },
): Promise<Person> {
  // A deterministic id, so that only one of several concurrent invitations is stored.
  const first = idFrom('invited', accountId, address);
  const holder = await stores.people.byId(first);
  // Somebody who was invited to this address has another one now.
  const hasMoved = holder !== null && addressIn(holder.email) !== address;
  const id = hasMoved ? idFrom('invited', accountId, address, holder.email) : first;
  return newPerson({ id, accountId, role, email: unconfirmedEmail(address, id) }, clock.now());
}

/** Not awaited: neither duration nor failure may reveal whether the address is known. A lost mail can be sent by inviting again. */
function sendInvitation(world: World, by: Visitor, person: Person): void {
  const address = addressIn(person.email);
  const mail = async (): Promise<void> => {
    if (!world.settings.sendsMail) return noteInvitation(world, by, person);
    world.peopleLimits.mailAccount.take(address);
    const holder = await findEmailOwner(world, address);
    if (holder !== null) return mailHasAccount(world, by, holder);
    await mailInvitation(world, by, { person, ...(await newPassLink(world, person, 'invite')) });
  };
  mail().catch((thrown: unknown) =>
    world.log.warn({ error: asError(thrown), account: person.accountId }, 'portal.invitation-not-mailed'),
  );
}
