import { emailAsStored } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import type { Seen } from '../audit/audited.ts';
import { audited } from '../audit/audited.ts';
import { personSeen } from '../audit/seen.ts';
import { askConfirmation, confirmEmail, confirming } from './confirm.ts';
import { askReset, changePassword, isResetLink, makeResetLink, resetPassword } from './new-password.ts';
import { personOf } from './passes.ts';
import { openOnce, sealOnce } from './shown-once.ts';
import { signIn, signOut, visitor } from './sign-in.ts';
import { portalTerms, signUp } from './sign-up.ts';

export const peopleUseCases = {
  portalTerms,
  signUp: audited(signUp, {
    action: 'account.created',
    after: async (deps, { secret }) => seenPerson(await personOf(deps, secret, 'session', 'find')),
  }),
  signIn,
  signOut,
  visitor,
  askReset,
  isResetLink,
  makeResetLink: audited(makeResetLink, {
    action: 'person.reset-link-made',
    after: async ({ stores }, _link, email) => seenPerson(await stores.people.byEmail(emailAsStored(email))),
  }),
  resetPassword: audited(resetPassword, {
    action: 'person.password-set',
    before: async (deps, { token }) => seenPerson(await personOf(deps, token, 'reset', 'find')),
    after: () => null,
    isDone: (answer) => answer !== null,
  }),
  changePassword: audited(changePassword, {
    action: 'person.password-set',
    before: (_deps, { caller }) => personSeen({ id: caller.accountId }),
    isDone: (answer) => answer !== null,
  }),
  askConfirmation,
  confirmEmail: audited(confirmEmail, {
    action: 'person.confirmed',
    before: async (deps, { token }) => seenPerson(await personOf(deps, token, 'confirm', 'find')),
    after: () => null,
    isDone: (answer) => answer === 'confirmed',
  }),
  confirming,
  sealOnce,
  openOnce,
};

function seenPerson(person: Person | null): Seen | null {
  return person === null ? null : personSeen(person);
}
