import type { ApiKey } from './account.ts';
import { insertNew, readPage } from '../../storage/records.ts';
import type { Patched, Records, RecordsOf } from '../../storage/records.ts';
import { hasRoom } from '../../storage/bounds.ts';
import { apiKeys } from './entity.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';

/**
 * Revoked keys beyond this many are removed: listing an account's keys, or counting them for a new one, reads revoked keys too, and an
 * account that makes and revokes keys all day would slow down everybody. [faults: I11]
 */
const newestKept = 1_000;
/** More than the unrevoked keys that an account can have, so that each call removes some. */
const oldestPerLook = 100;

export function keyStore(recordsOf: RecordsOf) {
  const keys = recordsOf(apiKeys);
  const revocations = keys.only('id', 'createdAt', 'revokedAt');

  async function forgetOldest(accountId: string): Promise<void> {
    const behind = { isDescending: true, skip: newestKept, limit: oldestPerLook };
    const old = await revocations.list({ by: 'ofAccount', equal: { accountId }, ...behind });
    const revoked = old.filter(({ revokedAt }) => revokedAt !== null);
    if (revoked.length > 0) await keys.removeEach(revoked.map(({ id }) => id));
  }

  return {
    /** False, and nothing is inserted, if the account has `max` unrevoked keys; holds under concurrent inserts. */
    async insert(key: ApiKey, max: number): Promise<boolean> {
      await insertNew(keys, key);
      const { id, accountId } = key;
      await forgetOldest(accountId);
      const held = { by: 'ofAccount', equal: { accountId, revokedAt: null }, limit: max + 1 };
      if (await hasRoom({ id, max }, () => revocations.list(held))) return true;
      await keys.remove({ id });
      return false;
    },
    /** The unrevoked key with this hash. */
    activeByHash: (hash: string): Promise<ApiKey | null> => keys.one({ hash, revokedAt: null }),
    list: (accountId: string): Promise<ApiKey[]> =>
      keys.list({ by: 'ofAccount', equal: { accountId }, limit: null }),
    /** Unrevoked keys, newest first. */
    page: (accountId: string, page: PageRequest): Promise<Page<ApiKey>> =>
      readPage(keys, { by: 'ofAccount', equal: { accountId, revokedAt: null }, isDescending: true }, page),
    /** A key of any account, revoked or not: for operators. */
    byId: (id: string): Promise<ApiKey | null> => keys.one({ id }),
    /** The unrevoked key with this id, if it belongs to this account. */
    inAccount: (id: string, accountId: string): Promise<ApiKey | null> =>
      keys.one({ id, accountId, revokedAt: null }),
    /** A stored time never moves back, in whatever order the nodes write. */
    noteUsed: (used: readonly KeyUse[]): Promise<void> =>
      keys.patchEach(
        used.flatMap(({ keyId: id, at, address }) => {
          const change = { set: { lastUsedAt: at, lastUsedFrom: address ?? undefined } };
          const isLater = { on: 'lastUsedAt', below: at } as const;
          return [
            { which: { id, lastUsedAt: null }, change },
            { which: { id }, range: isLater, change },
          ];
        }),
      ),
    /** Keys that end at `until` (ms) or before, revoked ones too: the next to end first, the first `limit` after `after`. */
    ending: ({ after, until, limit }: EndingKeys): Promise<ApiKey[]> =>
      keys.list({
        by: 'ending',
        range: { on: 'endsAt', upTo: until },
        after: [after.endsAt, after.id],
        limit,
      }),
    renameMaker: makerChange(keys),
    /** null if there is no such unrevoked key. */
    revoke: (id: string, now: number): Promise<Patched<ApiKey> | null> =>
      keys.patchBoth({ which: { id, revokedAt: null }, change: { set: { revokedAt: now } } }),
  };
}

/** Names the maker of an account's keys anew: an address, when its person has another one. */
function makerChange(keys: Records<ApiKey>) {
  return async (accountId: string, from: string, to: string): Promise<void> => {
    const made = await keys.list({ by: 'ofAccount', equal: { accountId, madeBy: from }, limit: null });
    await keys.patchEach(made.map(({ id }) => ({ which: { id }, change: { set: { madeBy: to } } })));
  };
}

export type KeyStore = ReturnType<typeof keyStore>;

interface KeyUse {
  keyId: string;
  at: number;
  /** IP address of the client; missing: not known. */
  address?: string | null;
}

/** Position in the list of keys that have an end. */
interface EndPlace {
  endsAt: number;
  id: string;
}

interface EndingKeys {
  after: EndPlace;
  until: number;
  limit: number;
}
