import type { UseCaseDeps } from '../deps.ts';

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
