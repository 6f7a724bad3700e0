/** Accounts and their API keys. */
import type { AccountStore, KeyStore, AccountWord, AccountWordStore } from './port.ts';
import { wordsOfAccount } from './search-words.ts';
import type { Account } from './account.ts';
import { insertNew, newItem, readPage } from '../../storage/records.ts';
import type { Engine } from '../../storage/engine.ts';
import type { RecordsOf } from '../../storage/records.ts';
import type { StoredAccountWord } from './entity.ts';
import { findByEmail } from '../people/account-people.ts';
import { hasRoom } from '../../storage/bounds.ts';
import { accountWords, accounts as accountsEntity, apiKeys } from './entity.ts';
import { people as peopleEntity } from '../people/entity.ts';
import { subscriptions as subscriptionsEntity } from '../../storage/entities/subscriptions.ts';

export function accountStore(engine: Pick<Engine, 'recordsOf' | 'insertTogether'>): AccountStore {
  const accounts = engine.recordsOf(accountsEntity);
  const people = engine.recordsOf(peopleEntity);
  const subscriptions = engine.recordsOf(subscriptionsEntity);
  const words = engine.recordsOf(accountWords);
  return {
    /**
     * The account is inserted last and decides, by its unique e-mail address. Before that, key and trial cannot be found by anything that
     * anybody knows.
     */
    create(account, key, trial) {
      return engine.insertTogether([
        ...(key === null ? [] : [newItem(apiKeys, key)]),
        ...listStoredWords(account).map((item) => newItem(accountWords, item)),
        newItem(subscriptionsEntity, trial),
        newItem(accountsEntity, account),
      ]);
    },
    byId: (id) => accounts.one({ id }),
    byEmail: (email) => findByEmail(email, (spelled) => accounts.one({ email: spelled })),
    async suspend(id, since) {
      const which = since === null ? { id } : { id, suspendedAt: null };
      const changed = await accounts.patchBoth({ which, change: { set: { suspendedAt: since } } });
      const known = changed === null ? await accounts.one({ id }) : null;
      return known === null ? changed : { before: known, after: known };
    },
    page: (page) => readPage(accounts, { by: 'byAge', isDescending: true }, page),
    madeIn: (time, page) => readPage(accounts, { by: 'byAge', range: { on: 'createdAt', ...time } }, page),
    /** Does not match a confirmed account: the confirmation changes the account's address first. */
    async dropUnconfirmed({ id, email }) {
      if ((await accounts.remove({ id, email })) === 0) return false;
      await people.remove({ id });
      await subscriptions.remove({ accountId: id });
      await words.remove({ accountId: id });
      return true;
    },
  };
}

/**
 * Revoked keys beyond this many are removed: listing an account's keys, or counting them for a new one, reads revoked keys too, and an
 * account that makes and revokes keys all day would slow down everybody. [faults: I11]
 */
const newestKept = 1_000;
/** More than the unrevoked keys that an account can have, so that each call removes some. */
const oldestPerLook = 100;

export function keyStore(recordsOf: RecordsOf): KeyStore {
  const keys = recordsOf(apiKeys);
  const revocations = keys.only('id', 'createdAt', 'revokedAt');

  async function forgetOldest(accountId: string): Promise<void> {
    const behind = { isDescending: true, skip: newestKept, limit: oldestPerLook };
    const old = await revocations.list({ by: 'ofAccount', equal: { accountId }, ...behind });
    const revoked = old.filter(({ revokedAt }) => revokedAt !== null);
    if (revoked.length > 0) await keys.removeEach(revoked.map(({ id }) => id));
  }

  return {
    async insert(key, max) {
      await insertNew(keys, key);
      const { id, accountId } = key;
      await forgetOldest(accountId);
      const held = { by: 'ofAccount', equal: { accountId, revokedAt: null }, limit: max + 1 };
      if (await hasRoom({ id, max }, () => revocations.list(held))) return true;
      await keys.remove({ id });
      return false;
    },
    activeByHash: (hash) => keys.one({ hash, revokedAt: null }),
    list: (accountId) => keys.list({ by: 'ofAccount', equal: { accountId }, limit: null }),
    page: (accountId, page) =>
      readPage(keys, { by: 'ofAccount', equal: { accountId, revokedAt: null }, isDescending: true }, page),
    byId: (id) => keys.one({ id }),
    inAccount: (id, accountId) => keys.one({ id, accountId, revokedAt: null }),
    noteUsed: (used) =>
      keys.patchEach(
        used.map(({ keyId, at }) => ({ which: { id: keyId }, change: { max: { lastUsedAt: at } } })),
      ),
    async revoke(id, now) {
      const revoked = await keys.patch({
        which: { id, revokedAt: null },
        change: { set: { revokedAt: now } },
      });
      return revoked !== null;
    },
  };
}

/** Marker, not a word of an account: all accounts have their words in the index. */
const complete: StoredAccountWord = { id: 'complete', word: '', accountId: '' };
/** Sorts after every other character. */
const last = '\u{10ffff}';

export function accountWordStore(recordsOf: RecordsOf): AccountWordStore {
  const index = recordsOf(accountWords);
  return {
    add: (words) => index.insertEach(words.map(toStored)),
    async beginning(prefix, limit) {
      const range = { on: 'word', from: prefix, below: `${prefix}${last}` } as const;
      const found = await index.list({ by: 'byWord', range, limit });
      return found.map(({ word, accountId }) => ({ word, accountId }));
    },
    isComplete: async () => (await index.one({ id: complete.id })) !== null,
    async noteComplete() {
      await index.insert(complete);
    },
  };
}

function toStored({ word, accountId }: AccountWord): StoredAccountWord {
  return { id: `${word} ${accountId}`, word, accountId };
}

function listStoredWords(account: Account): StoredAccountWord[] {
  return wordsOfAccount(account).map((word) => toStored({ word, accountId: account.id }));
}
