import type { Person } from '../../domain/accounts/person.ts';
import type { UseCaseDeps } from '../deps.ts';
import { passwordLengths } from './password.ts';
import type { SignInRequest } from './types.ts';

/**
 * Counts a password that is about to be looked at, for the address it came from and the account. Answers what to call when it was
 * right: it was no guess then, but it costs a hash all the same. Throws 429. [faults: 84, 113]
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

/** Who has this password. Counted before anybody is looked for; with nobody it takes as long. null: nobody, or it is another. Throws 429. */
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
