import { askConfirmation, confirmEmail, confirming } from './confirm.ts';
import { askReset, changePassword, isResetLink, makeResetLink, resetPassword } from './new-password.ts';
import { openOnce, sealOnce } from './shown-once.ts';
import { signIn, signOut, visitor } from './sign-in.ts';
import { portalTerms, signUp } from './sign-up.ts';

export const peopleUseCases = {
  portalTerms,
  signUp,
  signIn,
  signOut,
  visitor,
  askReset,
  isResetLink,
  makeResetLink,
  resetPassword,
  changePassword,
  askConfirmation,
  confirmEmail,
  confirming,
  sealOnce,
  openOnce,
};
