import { storedSpellings } from '../../../domain/accounts/email.ts';

/** Whoever has this address, also where an earlier version stored it in another spelling. Nearly every address has one only. */
export async function findByEmail<T>(
  email: string,
  findStored: (spelled: string) => Promise<T | null>,
): Promise<T | null> {
  for (const spelled of storedSpellings(email)) {
    const found = await findStored(spelled);
    if (found !== null) return found;
  }
  return null;
}
