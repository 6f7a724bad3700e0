/** Accounts and their keys. */
import type { AccountStore, KeyStore } from '../../../use-cases/ports/accounts.ts';
import { sleep, systemClock } from '../../../kernel/clock.ts';
import { insertNew, readPage } from '../records.ts';
import type { Engine, RecordsOf } from '../records.ts';
import { findByEmail } from './by-email.ts';
import { listStoredWords } from './account-words.ts';

export function accountStore(engine: Engine): AccountStore {
  const accounts = engine.recordsOf('accounts');
  const people = engine.recordsOf('people');
  const subscriptions = engine.recordsOf('subscriptions');
  const words = engine.recordsOf('accountWords');
  return {
    /** The e-mail decides, and before the account is there nobody can find key or trial by anything they know. */
    create(account, key, trial) {
      return engine.insertTogether([
        ...(key === null ? [] : [{ of: 'apiKeys', item: key } as const]),
        ...listStoredWords(account).map((item) => ({ of: 'accountWords', item }) as const),
        { of: 'subscriptions', item: trial },
        { of: 'accounts', item: account },
      ]);
    },
    byId: (id) => accounts.one({ id }),
    byEmail: (email) => findByEmail(email, (spelled) => accounts.one({ email: spelled })),
    suspend: (id, since) =>
      accounts.patch({
        which: { id },
        change: since === null ? { set: { suspendedAt: null } } : { min: { suspendedAt: since } },
      }),
    page: (page) => readPage(accounts, { by: 'byAge', isDescending: true }, page),
    madeIn: (time, page) => readPage(accounts, { by: 'byAge', range: { on: 'createdAt', ...time } }, page),
    /** A proof changes the account's address first. */
    async dropUnproved({ id, email }) {
      if ((await accounts.remove({ id, email })) === 0) return false;
      await people.remove({ id });
      await subscriptions.remove({ accountId: id });
      await words.remove({ accountId: id });
      return true;
    },
  };
}

/**
 * Whoever lists the keys of an account, or counts them for one more, passes over those that are revoked: an account that makes and
 * revokes them all day would hold everybody up with each look. [faults: I11]
 */
const newestKept = 1_000;
/** More than an account has that are not revoked, so that each time some go. */
const oldestPerLook = 100;
/** So long a key waits for those behind it to go. They don't where a node's clock is behind: then there was no room for it. */
const looks = 50;
const betweenLooksMs = 20;

export function keyStore(recordsOf: RecordsOf): KeyStore {
  const keys = recordsOf('apiKeys');
  const revocations = keys.only('id', 'createdAt', 'revokedAt');

  async function forgetOldest(accountId: string): Promise<void> {
    const behind = { isDescending: true, skip: newestKept, limit: oldestPerLook };
    const old = await revocations.list({ by: 'ofAccount', equal: { accountId }, ...behind });
    const revoked = old.filter(({ revokedAt }) => revokedAt !== null);
    if (revoked.length > 0) await keys.removeEach(revoked.map(({ id }) => id));
  }

  return {
    /**
     * Looked at after it is there: of any that race the last sees all, so that no more than `max` stay. Of too many, those behind the
     * first `max` go and the others look again: so many stay.
     */
    async insert(key, max) {
      await insertNew(keys, key);
      const { id, accountId } = key;
      await forgetOldest(accountId);
      const held = { by: 'ofAccount', equal: { accountId, revokedAt: null }, limit: max + 1 };
      for (let look = 1; look <= looks; look += 1) {
        const found = await revocations.list(held);
        if (found.length <= max) return true;
        if (!found.slice(0, max).some((one) => one.id === id)) break;
        await sleep(systemClock, betweenLooksMs);
      }
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
