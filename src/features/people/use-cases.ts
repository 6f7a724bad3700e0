import { emailAsStored } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import type { Change, Snapshot } from '../audit/audited.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { memberSnapshot, personSnapshot } from '../audit/snapshots.ts';
import type { Stores } from '../stores.ts';
import { askConfirmation, confirmEmail, confirming } from './confirm.ts';
import { acceptInvitation, invite, inviteAgain, makeInvitationLink, readInvitation } from './invite.ts';
import type { ChangedRole } from './members.ts';
import { changeRole, listPeople, readPerson, removePerson, setRole } from './members.ts';
import {
  askReset,
  changePassword,
  isResetLink,
  makeAccountResetLink,
  makeResetLink,
  resetPassword,
} from './new-password.ts';
import { findPassPerson } from './passes.ts';
import { openFlash, sealFlash } from './flash.ts';
import { signIn, signOut, visitor } from './sign-in.ts';
import { portalTerms, signUp } from './sign-up.ts';

export const peopleUseCases = {
  ...unrecorded('reads', { portalTerms, isResetLink, confirming, listPeople, readPerson, readInvitation }),
  ...unrecorded('session', { signIn, signOut, visitor, sealFlash, openFlash }),
  ...unrecorded('on the way', { askReset, askConfirmation }),
  signUp: audited(signUp, {
    action: 'account.created',
    after: async (deps, { secret }) =>
      snapshotOfPerson(await findPassPerson(deps, secret, 'session', 'find')),
  }),
  makeResetLink: audited(makeResetLink, {
    action: 'person.reset-link-made',
    after: async ({ stores }, _link, email) =>
      snapshotOfPerson(await stores.people.byEmail(emailAsStored(email))),
  }),
  makeAccountResetLink: audited(makeAccountResetLink, {
    action: 'person.reset-link-made',
    after: async ({ stores }, _link, accountId) => {
      const account = await stores.accounts.byId(accountId);
      return account === null ? null : snapshotOfPerson(await stores.people.byEmail(account.email));
    },
  }),
  resetPassword: audited(resetPassword, {
    action: 'person.password-set',
    before: async (deps, { token }) => snapshotOfPerson(await findPassPerson(deps, token, 'reset', 'find')),
    after: () => null,
    isDone: (answer) => answer !== null,
  }),
  changePassword: audited(changePassword, {
    action: 'person.password-set',
    before: (_deps, { personId: id, caller: { accountId } }) => personSnapshot({ id, accountId }),
  }),
  confirmEmail: audited(confirmEmail, {
    action: 'person.confirmed',
    before: async (deps, { token }) => snapshotOfPerson(await findPassPerson(deps, token, 'confirm', 'find')),
    after: () => null,
    isDone: (answer) => answer === 'confirmed',
  }),
  changeRole: audited(changeRole, {
    action: 'person.role-changed',
    written: changeOfRole,
  }),
  setRole: audited(setRole, {
    action: 'person.role-changed',
    written: changeOfRole,
  }),
  removePerson: audited(removePerson, {
    action: 'person.removed',
    before: ({ stores }, _by, personId) => memberAt(stores, personId),
  }),
  invite: audited(invite, { action: 'person.invited', after: (_deps, person) => memberSnapshot(person) }),
  inviteAgain: audited(inviteAgain, {
    action: 'person.invited-again',
    before: (_deps, { caller: { accountId } }, id) => personSnapshot({ id, accountId }),
  }),
  makeInvitationLink: audited(makeInvitationLink, {
    action: 'person.invitation-link-made',
    after: async ({ stores }, _link, personId) => snapshotOfPerson(await stores.people.byId(personId)),
  }),
  acceptInvitation: audited(acceptInvitation, {
    action: 'person.joined',
    after: async (deps, joined) =>
      joined === null ? null : snapshotOfPerson(await findPassPerson(deps, joined.secret, 'session', 'find')),
    isDone: (answer) => answer !== null,
  }),
};

function changeOfRole({ before, after }: ChangedRole): Change {
  return { before: memberSnapshot(before), after: memberSnapshot(after) };
}

async function memberAt({ people }: Stores, personId: string): Promise<Snapshot | null> {
  const person = await people.byId(personId);
  return person === null ? null : memberSnapshot(person);
}

function snapshotOfPerson(person: Person | null): Snapshot | null {
  return person === null ? null : personSnapshot(person);
}
