import type { Settings } from '../../config/settings.ts';
import type { Sealer } from '../domain/accounts/sealed.ts';
import { missingKeys } from '../use-cases/operating/reseal.ts';
import type { Stores } from '../use-cases/ports/stores.ts';
import { StartError } from './listener.ts';

/**
 * Tokens and webhook secrets are useless without the key that encrypted them: sends would fail, and deliveries would be given up. Such a
 * start ends, unless an operator declares the key lost. Throws StartError. [faults: 100]
 */
export async function requireKeys(
  { encryptionKeysLost }: Pick<Settings, 'encryptionKeysLost'>,
  stores: Stores,
  sealer: Sealer,
): Promise<void> {
  const missing = await missingKeys({ stores, sealer });
  for (const id of encryptionKeysLost ?? []) missing.delete(id);
  if (missing.size === 0) return;
  const each = [...missing].map(
    ([id, channels]) => `${id} (${channels} ${channels === 1 ? 'channel' : 'channels'})`,
  );
  throw new StartError(
    `ENCRYPTION_KEYS lacks keys with which data in the store is encrypted: key ${each.join(', ')}; add each after the others or, ` +
      `if it is lost, name it in ENCRYPTION_KEYS_LOST`,
  );
}
