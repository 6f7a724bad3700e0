import { askConfirmation, confirmEmail, confirming } from './confirm.ts';
import { acceptInvitation, invite, inviteAgain, makeInvitationLink, readInvitation } from './invite.ts';
import { changeRole, listPeople, readPerson, removePerson, setRole } from './members.ts';
import {
  askReset,
  changePassword,
  isResetLink,
  makeAccountResetLink,
  makeResetLink,
  resetPassword,
} from './new-password.ts';
import { openFlash, sealFlash } from './flash.ts';
import { signIn, signOut, visitor } from './sign-in.ts';
import { portalTerms, signUp } from './sign-up.ts';

export const peopleUseCases = {
  portalTerms,
  isResetLink,
  confirming,
  listPeople,
  readPerson,
  readInvitation,
  signIn,
  signOut,
  visitor,
  sealFlash,
  openFlash,
  askReset,
  askConfirmation,
  signUp,
  makeResetLink,
  makeAccountResetLink,
  resetPassword,
  changePassword,
  confirmEmail,
  changeRole,
  setRole,
  removePerson,
  invite,
  inviteAgain,
  makeInvitationLink,
  acceptInvitation,
};
