/** Managing the people of an account. [operator-interface §4, people of an account] */
import { addressIn } from '../../rules/email.ts';
import { topicsOf } from '../../rules/mails/topics.ts';
import { hasJoined, isRole } from '../../rules/person.ts';
import type { Person, Role, Visitor } from '../../rules/person.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import type { Actor, Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { changedElsewhereWords } from '../../pages/forms/was.ts';
import type { World } from '../world.ts';
import { resetStep } from './change-second-step.ts';
import { memberSnapshot } from './snapshot.ts';
import type { ListedMember, Member } from './types.ts';
import type { NotLowered } from '../accounts/index.ts';

/** Oldest first. */
export async function listPeople(
  { stores }: World,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<ListedMember[]> {
  const account = await stores.accounts.byId(accountId);
  const people = account === null ? [] : await stores.people.ofAccount(account.id);
  return people.map((person) => ({
    ...toMember(person),
    mailTopics: account === null || !hasJoined(person) ? [] : topicsOf(person, account),
  }));
}

/** Throws 404 `not_found`. */
export async function readPerson(world: World, by: Visitor, personId: string): Promise<Member> {
  return toMember(await findPerson(world, by, personId));
}

/** `seen`: the role that the form showed; undefined: it did not tell. */
interface AskedRole {
  role: string;
  seen?: Role | undefined;
}

/**
 * Takes effect at the person's next request. Throws 404 `not_found`, 422 `validation`, 409 `conflict` for the last owner, and for a role that
 * is not the one `seen`.
 */
export async function changeRole(
  world: World,
  by: Visitor,
  { personId, ...asked }: AskedRole & { personId: string },
): Promise<void> {
  await giveRole(world, by.caller.by, await findPerson(world, by, personId), asked);
}

/** For operators: who has lost app and recovery codes signs in with the password again. Throws 404 `not_found`. */
export async function resetSecondStep(
  world: World,
  by: Actor | undefined,
  personId: string,
): Promise<Member> {
  return toMember(await resetStep(world, by, personId));
}

/** For operators: an account whose owners are all gone has nobody who can raise one. Throws as `changeRole`. [faults: 209] */
export async function setRole(
  world: World,
  by: Actor | undefined,
  personId: string,
  asked: AskedRole,
): Promise<Member> {
  const person = await world.stores.people.byId(personId);
  if (person === null) throw fault('not_found', { what: 'Person' });
  return toMember(await giveRole(world, by, person, asked));
}

async function giveRole(
  world: World,
  by: Actor | undefined,
  person: Person,
  { role: asked, seen }: AskedRole,
): Promise<Person> {
  const role = checkedRole(asked);
  const done = await world.stores.people.setRole(person, role, seen);
  const after = { ...person, role };
  if (done === 'changed') {
    const standing = await world.stores.people.byId(person.id);
    if (standing?.role === role) return after; // posted twice
    throw fault('conflict', { why: changedElsewhereWords([`Role, now ${standing?.role ?? 'none'}`]) });
  }
  if (typeof done === 'string') throw refusal(done);
  const before = { ...person, role: done.was };
  await audit(world, by, 'person.role-changed', memberSnapshot(before), memberSnapshot(after));
  return after;
}

/**
 * The person's sessions and links are invalid at once, because every look-up also reads the person. API keys they created stay valid.
 * Throws 404 `not_found`, 409 `conflict` for the last owner.
 */
export async function removePerson(world: World, by: Visitor, personId: string): Promise<void> {
  const { id, accountId } = await findPerson(world, by, personId);
  const removed = await world.stores.people.remove({ id, accountId });
  if (typeof removed === 'string') throw refusal(removed);
  await audit(world, by.caller.by, 'person.removed', memberSnapshot(removed.was), null);
  await world.stores.passes.dropForPerson(id);
}

/** Throws 404 `not_found`, also for a person of another account. */
export async function findPerson(
  world: World,
  { caller: { accountId } }: Visitor,
  personId: string,
): Promise<Person> {
  const person = await world.stores.people.byId(personId);
  if (person === null || person.accountId !== accountId) throw fault('not_found', { what: 'Person' });
  return person;
}

/** The role in a request. Throws 422 `validation` for any other text. */
export function checkedRole(role: string): Role {
  if (!isRole(role)) throw fieldFault(['body', 'role'], 'Choose one of the roles.');
  return role;
}

function toMember(person: Person): Member {
  const { id, email, role, createdAt, lastSeenAt, stepSecret } = person;
  const shown = { id, email: addressIn(email), role, createdAt, lastSeenAt };
  return { ...shown, hasJoined: hasJoined(person), hasSecondStep: stepSecret !== null };
}

function refusal(why: NotLowered): Error {
  if (why === 'not_there') return fault('not_found', { what: 'Person' });
  return fault('conflict', { why: 'An account has an owner: make somebody else an owner first' });
}
