import type { Person } from '../../domain/accounts/person.ts';
import type { UseCaseDeps } from '../deps.ts';
import { passwordLengths } from './password.ts';

/** Counted as a sign-in is: before the password is looked at; a right one is given back. Throws 429. */
export async function isPasswordOf(
  deps: UseCaseDeps,
  { email, passwordHash }: Person,
  { password, address }: { password: string; address: string },
): Promise<boolean> {
  const { signInAddress, signInAccount } = deps.peopleLimits;
  signInAddress.take(address);
  signInAccount.take(email);
  const isRight = await deps.passwords.verify(passwordHash, password.slice(0, passwordLengths.max * 2));
  if (!isRight) return false;
  signInAddress.giveBack(address);
  signInAccount.giveBack(email);
  return true;
}
