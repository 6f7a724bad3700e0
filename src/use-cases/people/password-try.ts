import type { Person } from '../../domain/accounts/person.ts';
import type { UseCaseDeps } from '../deps.ts';
import { passwordLengths } from './password.ts';
import type { SignInRequest } from './types.ts';

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
