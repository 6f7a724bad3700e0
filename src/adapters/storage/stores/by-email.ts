import { storedSpellings } from '../../../domain/accounts/email.ts';

/**
 * Finds the item with this e-mail address, also if an older version stored it in another spelling. Nearly every address has one spelling.
 */
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
