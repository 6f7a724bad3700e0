import { askConfirmation, confirmEmail } from './confirm.ts';
import { askReset, changePassword, resetPassword } from './new-password.ts';
import { signIn, signOut, visitor } from './sign-in.ts';
import { portalTerms, signUp } from './sign-up.ts';

export const peopleUseCases = {
  portalTerms,
  signUp,
  signIn,
  signOut,
  visitor,
  askReset,
  resetPassword,
  changePassword,
  askConfirmation,
  confirmEmail,
};
