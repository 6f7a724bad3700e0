/** People who sign in. */
import type { PersonStore } from '../../../use-cases/ports/people.ts';
import type { StoredPerson } from '../entities/people.ts';
import type { Change, RecordsOf } from '../records.ts';
import { findByEmail } from './by-email.ts';
import { AccountPeople, orNull, toStored } from './account-people.ts';

export function personStore(recordsOf: RecordsOf): PersonStore {
  const people = recordsOf('people');
  const accounts = recordsOf('accounts');
  const { ofAccount, setRole, remove } = new AccountPeople(recordsOf);

  async function change(id: string, of: Change<StoredPerson>): Promise<boolean> {
    return (await people.patch({ which: { id }, change: of })) !== null;
  }

  return {
    insert: (person) => people.insert(toStored(person)),
    byId: async (id) => orNull(await people.one({ id })),
    byEmail: async (email) => orNull(await findByEmail(email, (spelled) => people.one({ email: spelled }))),
    ofAccount,
    setPassword: (id, { passwordHash, passwordVersion }) =>
      change(id, { set: { passwordHash, passwordVersion } }),
    /** The account's unique address decides; who fails in between asks again and finds the address theirs. */
    async prove(id, email, now) {
      const person = orNull(await people.one({ id }));
      const account = person === null ? null : await accounts.one({ id: person.accountId });
      if (person === null || account === null) return false;
      if ([person.email, email].includes(account.email)) {
        const which = { id: account.id, email: account.email };
        if ((await accounts.patch({ which, change: { set: { email } } })) === null) return false;
      }
      return change(id, { set: { email }, min: { confirmedAt: now } });
    },
    async join(id, joined, now) {
      const which = { id, passwordHash: null };
      return (await people.patch({ which, change: { set: joined, min: { confirmedAt: now } } })) !== null;
    },
    setRole,
    remove,
    noteLook: (id, look) => people.patchEach([{ which: { id }, change: { set: look } }]),
    noteSeen: (id, at) => people.patchEach([{ which: { id }, change: { max: { lastSeenAt: at } } }]),
  };
}
