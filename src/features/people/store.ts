/** People who sign in, and the secrets that were handed to them: of sessions and of links in mails. */
import type { PersonStore, PassStore } from './port.ts';
import type { Pass } from '../../rules/person.ts';
import type { StoredPerson, StoredPass } from './entity.ts';
import { insertNew } from '../../storage/records.ts';
import type { Change, RecordsOf } from '../../storage/records.ts';
import { AccountPeople, orNull, toStored, findByEmail } from './account-people.ts';
import { hasRoom } from '../../storage/bounds.ts';
import { accounts as accountsEntity } from '../accounts/entity.ts';
import { passes as passesEntity, people as peopleEntity } from './entity.ts';

export function personStore(recordsOf: RecordsOf): PersonStore {
  const people = recordsOf(peopleEntity);
  const accounts = recordsOf(accountsEntity);
  const { ofAccount, setRole, remove, leaveMailsWithOwner } = new AccountPeople(recordsOf);

  async function change(id: string, of: Change<StoredPerson>): Promise<boolean> {
    return (await people.patch({ which: { id }, change: of })) !== null;
  }

  async function moveAccount(id: string, from: string, to: string): Promise<boolean> {
    return (await accounts.patch({ which: { id, email: from }, change: { set: { email: to } } })) !== null;
  }

  return {
    insert: (person) => people.insert(toStored(person)),
    async invite(person, max) {
      const { id, accountId } = person;
      if (!(await people.insert(toStored(person)))) return 'taken';
      if (await hasRoom({ id, max }, () => ofAccount(accountId))) return 'invited';
      await people.remove({ id });
      return 'full';
    },
    byId: async (id) => orNull(await people.one({ id })),
    byEmail: async (email) => orNull(await findByEmail(email, (spelled) => people.one({ email: spelled }))),
    ofAccount,
    setPassword: (id, { passwordHash, passwordVersion }) =>
      change(id, { set: { passwordHash, passwordVersion } }),
    /** The account's unique address decides. A call that is repeated after a crash finds the address already changed. */
    async confirm(id, email, now) {
      const person = orNull(await people.one({ id }));
      const account = person === null ? null : await accounts.one({ id: person.accountId });
      if (person === null || account === null) return false;
      const isOfBoth = [person.email, email].includes(account.email);
      if (isOfBoth && !(await moveAccount(account.id, account.email, email))) return false;
      if (await change(id, { set: { email }, min: { confirmedAt: now } })) return true;
      // Another person has joined an account with this address in the meantime.
      if (isOfBoth) await moveAccount(account.id, email, account.email);
      return false;
    },
    async join(id, joined, now) {
      const which = { id, passwordHash: null };
      const joining = { set: joined, min: { confirmedAt: now } };
      const person = orNull(await people.patch({ which, change: joining }));
      // The first owner of an account that had none left. [faults: 209]
      if (person?.role === 'owner') await leaveMailsWithOwner(person.accountId);
      return person !== null;
    },
    setRole,
    remove,
    noteLook: (id, look) => people.patchEach([{ which: { id }, change: { set: look } }]),
    noteSeen: (id, at) => people.patchEach([{ which: { id }, change: { max: { lastSeenAt: at } } }]),
  };
}

export function passStore(recordsOf: RecordsOf): PassStore {
  const passes = recordsOf(passesEntity);
  return {
    insert: ({ personId, ...pass }) => insertNew(passes, { ...pass, accountId: personId }),
    find: async (id, kind, now) => toPass(await passes.one({ id, kind }, { on: 'expiresAt', above: now })),
    take: async (id, kind, now) => toPass(await passes.take({ id, kind }, { on: 'expiresAt', above: now })),
    async keepNewest(personId, kind, count) {
      const equal = { accountId: personId, kind };
      const older = await passes.list({
        by: 'ofAccount',
        equal,
        isDescending: true,
        skip: count,
        limit: null,
      });
      if (older.length > 0) await passes.removeEach(older.map(({ id }) => id));
    },
    async dropForPerson(personId) {
      const equal = { accountId: personId };
      const all = await passes.list({ by: 'ofAccount', equal, limit: null });
      if (all.length > 0) await passes.removeEach(all.map(({ id }) => id));
    },
    dropExpired: (before, stopping) => passes.sweep({ on: 'expiresAt', below: before }, stopping),
  };
}

function toPass(found: StoredPass | null): Pass | null {
  if (found === null) return null;
  const { accountId: personId, ...pass } = found;
  return { ...pass, personId };
}
