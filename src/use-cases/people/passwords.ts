/** Choosing and verifying passwords. */
import { emailAsStored } from '../../domain/accounts/email.ts';
import { countCharacters } from '../../domain/messages/text.ts';
import { requireValid } from '../../kernel/faults.ts';
import type { Person } from '../../domain/accounts/person.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { SignInRequest } from './types.ts';

/** In code points. There are no rules about kinds of characters. */
export const passwordLengths = { min: 10, max: 200 };

/** Throws 422 `validation` at `password`. */
export function checkPassword(password: string, email: string): void {
  requireValid({ password: passwordProblem(password, email) });
}

/** Why the password can't be chosen; null if it can. */
export function passwordProblem(password: string, email: string): string | null {
  const { min, max } = passwordLengths;
  const length = countCharacters(password);
  if (length < min) return `Use at least ${min} characters.`;
  if (length > max) return `Use at most ${max} characters.`;
  return password.toLowerCase() === emailAsStored(email) ? 'Use something else than your address.' : null;
}

/**
 * Counts a password before it is verified, for the client's address and the account. Returns a function to call if it was
 * correct: then it does not count as a guess, but its hash still counts. Throws 429. [faults: 84, 113]
 */
export function countTry(
  { peopleLimits }: Pick<UseCaseDeps, 'peopleLimits'>,
  address: string,
  account: string,
): () => void {
  const { signInAddress, signInAccount, passwordAddress, passwordAccount } = peopleLimits;
  signInAddress.take(address);
  signInAccount.take(account);
  passwordAddress.take(address);
  passwordAccount.take(account);
  return () => {
    signInAddress.giveBack(address);
    signInAccount.giveBack(account);
  };
}

/** Verifies a password. Counted before the look-up; takes the same time without a person. null: no person or wrong password. Throws 429. */
export async function findByPassword(
  deps: Pick<UseCaseDeps, 'peopleLimits' | 'passwords'>,
  { email, password, address }: SignInRequest,
  find: () => Promise<Person | null>,
): Promise<Person | null> {
  const wasRight = countTry(deps, address, email);
  const person = await find();
  const tried = password.slice(0, passwordLengths.max * 2);
  if (!(await deps.passwords.verify(person?.passwordHash ?? null, tried)) || person === null) return null;
  wasRight();
  return person;
}
