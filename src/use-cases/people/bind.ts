import { hashOf } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import { askConfirmation, confirmEmail } from './confirm.ts';
import { peopleLimits } from './limits.ts';
import { askReset, changePassword, resetPassword } from './new-password.ts';
import { signIn, visitor } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import type { PeopleUseCases } from './use-cases.ts';

export function bindPeople(deps: UseCaseDeps): PeopleUseCases {
  const limits = peopleLimits(deps.clock);
  const { signup, trialDays, trialTier, sendsMail } = deps.settings;
  return {
    portalTerms: () => ({ signup, trialDays, trialTier, sendsMail }),
    signUp: (request) => signUp(deps, limits, request),
    signIn: (request) => signIn(deps, limits, request),
    signOut: async (secret) =>
      void (await deps.stores.passes.take(hashOf(secret), 'session', deps.clock.now())),
    visitor: (secret) => visitor(deps, secret),
    askReset: async (request) => askReset(deps, limits, request),
    resetPassword: (request) => resetPassword(deps, limits, request),
    changePassword: (who, request) => changePassword(deps, limits, who, request),
    askConfirmation: (who) => askConfirmation(deps, limits, who),
    confirmEmail: (token) => confirmEmail(deps, token),
  };
}
