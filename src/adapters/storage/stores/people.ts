/** People who sign in. */
import type { PersonStore } from '../../../use-cases/ports/people.ts';
import type { StoredPerson } from '../entities/people.ts';
import type { Change, RecordsOf } from '../records.ts';
import { findByEmail } from './by-email.ts';
import { AccountPeople, orNull, toStored } from './account-people.ts';
import { hasRoom } from './room.ts';

export function personStore(recordsOf: RecordsOf): PersonStore {
  const people = recordsOf('people');
  const accounts = recordsOf('accounts');
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
