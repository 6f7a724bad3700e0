/**
 * Invitations. An invited person is stored with an unconfirmed address, so that an invitation can't keep anybody from an account of
 * their own. The mailed link proves the address and sets the password. [operator-interface §4, people of an account]
 */
import { addressIn, unconfirmedEmail } from '../../rules/email.ts';
import { hasJoined } from '../../rules/person.ts';
import type { Person, Role } from '../../rules/person.ts';
import { asError, fault, fieldFault } from '../../kernel/faults.ts';
import { idFrom, newId } from '../../kernel/ids.ts';
import { checkedEmail } from '../accounts/checked-email.ts';
import { audit } from '../audit/index.ts';
import type { UseCaseDeps } from '../world.ts';
import { findEmailOwner, newPerson } from './email-owner.ts';
import { mailHasAccount, mailInvitation, noteInvitation } from './mails.ts';
import { hashOrGiveBack } from './new-password.ts';
import { findHolder, newPass, newPassLink, findPassPerson } from './passes.ts';
import { checkPassword } from './passwords.ts';
import { memberSnapshot, personSnapshot } from './snapshot.ts';
import { checkedRole, findPerson } from './members.ts';
import type { Invitation, SignedIn, Visitor } from './types.ts';

/** People of an account, invited ones included. */
const maxPeople = 50;

/**
 * Throws 422 `validation`, 400 `bad_request`, 429. With a mail server the answer, like that of sign-up, does not reveal whether the
 * address has an account of its own; only the mail says so. [faults: 133]
 */
export async function invite(
  deps: UseCaseDeps,
  by: Visitor,
  { email, role }: { email: string; role: string },
): Promise<Person> {
  const { accountId } = by.caller;
  const address = checkedEmail(email);
  const asked = checkedRole(role);
  await checkRoom(deps, accountId, address);
  deps.peopleLimits.invite.take(accountId);
  if (!deps.settings.sendsMail && (await findEmailOwner(deps, address)) !== null) throw hasAccountFault();
  const person = newInvited(accountId, { address, role: asked, now: deps.clock.now() });
  const outcome = await deps.stores.people.invite(person, maxPeople);
  if (outcome === 'taken') throw isMemberFault();
  if (outcome === 'full') throw isFull();
  sendInvitation(deps, by, person);
  await audit(deps, 'person.invited', null, memberSnapshot(person));
  return person;
}

/** Mails a new invitation link. Throws 404 `not_found` if the person has joined, 429. */
export async function inviteAgain(deps: UseCaseDeps, by: Visitor, personId: string): Promise<void> {
  const person = await findPerson(deps, by, personId);
  if (hasJoined(person)) throw fault('not_found', { what: 'Invitation' });
  deps.peopleLimits.invite.take(by.caller.accountId);
  sendInvitation(deps, by, person);
  await audit(deps, 'person.invited-again', null, personSnapshot(person));
}

/** For operators without a mail server. Throws 404 `not_found`. */
export async function makeInvitationLink(
  deps: UseCaseDeps,
  personId: string,
): Promise<{ link: string; expiresAt: number }> {
  const person = await deps.stores.people.byId(personId);
  if (person === null || hasJoined(person) || person.id === person.accountId) {
    throw fault('not_found', { what: 'Invitation' });
  }
  deps.log.info({ account: person.accountId, person: person.id }, 'portal.invitation-link-made');
  const made = await newPassLink(deps, person, 'invite');
  await audit(deps, 'person.invitation-link-made', null, personSnapshot(person));
  return made;
}

/** null: the link is used, expired, revoked or invalid. */
export async function readInvitation(deps: UseCaseDeps, token: string): Promise<Invitation | null> {
  const person = await findPassPerson(deps, token, 'invite', 'find');
  const account = person === null ? null : await deps.stores.accounts.byId(person.accountId);
  if (person === null || account === null) return null;
  return {
    email: addressIn(person.email),
    role: person.role,
    account: account.name ?? addressIn(account.email),
  };
}

/** null: as `readInvitation`. Throws 422 `validation`, 409 `conflict` if the address has an account of its own. */
export async function acceptInvitation(
  deps: UseCaseDeps,
  { token, password }: { token: string; password: string },
): Promise<SignedIn | null> {
  const invited = await findPassPerson(deps, token, 'invite', 'find');
  if (invited === null) return null;
  const email = addressIn(invited.email);
  checkPassword(password, email);
  if ((await findEmailOwner(deps, email)) !== null) throw fault('conflict', { why: hasAccountWords });
  const taken = await findHolder(deps, token, 'invite', 'take');
  if (taken === null) return null;
  const passwordHash = await hashOrGiveBack(deps, password, taken.pass);
  const passwordVersion = newId();
  const joined = { email, passwordHash, passwordVersion };
  if (!(await deps.stores.people.join(invited.id, joined, deps.clock.now()))) return null;
  await audit(deps, 'person.joined', null, personSnapshot(invited));
  return newPass(deps, { id: invited.id, passwordVersion }, 'session');
}

const hasAccountWords =
  'This address has an account of its own. An address has one account: use another address.';

function hasAccountFault(): Error {
  return fieldFault(['body', 'email'], hasAccountWords);
}

function isMemberFault(): Error {
  return fieldFault(['body', 'email'], 'This address is among the people of this account already.');
}

async function checkRoom(deps: UseCaseDeps, accountId: string, address: string): Promise<void> {
  const people = await deps.stores.people.ofAccount(accountId);
  if (people.some(({ email }) => addressIn(email) === address)) {
    throw isMemberFault();
  }
  if (people.length >= maxPeople) throw isFull();
}

function isFull(): Error {
  return fault('bad_request', { why: `An account can have at most ${maxPeople} people: remove one first` });
}

function newInvited(
  accountId: string,
  { address, role, now }: { address: string; role: Role; now: number },
): Person {
  // A deterministic id, so that only one of several concurrent invitations is stored.
  const id = idFrom('invited', accountId, address);
  return newPerson({ id, accountId, role, email: unconfirmedEmail(address, id) }, now);
}

/** Not awaited: neither duration nor failure may reveal whether the address is known. A lost mail can be sent by inviting again. */
function sendInvitation(deps: UseCaseDeps, by: Visitor, person: Person): void {
  const address = addressIn(person.email);
  const mail = async (): Promise<void> => {
    if (!deps.settings.sendsMail) return noteInvitation(deps, by, person);
    deps.peopleLimits.mailAccount.take(address);
    const holder = await findEmailOwner(deps, address);
    if (holder !== null) return mailHasAccount(deps, by, holder);
    await mailInvitation(deps, by, { person, ...(await newPassLink(deps, person, 'invite')) });
  };
  mail().catch((thrown: unknown) =>
    deps.log.warn({ error: asError(thrown), account: person.accountId }, 'portal.invitation-not-mailed'),
  );
}
