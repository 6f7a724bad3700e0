/** People who sign in, and their passes. */
import type { Pass, Person } from '../../../../domain/accounts/person.ts';
import type { PassStore, PersonStore } from '../../../../use-cases/ports/people.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { passes, people } from '../tables.ts';
import type { Row } from '../table.ts';

export function personStore(reader: Reader, writer: WriterThread): PersonStore {
  const one = reader.query<Row<Person>>(`select ${people.list} from people where id = ?`);
  const byEmail = reader.query<Row<Person>>(`select ${people.list} from people where email = ?`);
  const personOf = (row: Row<Person> | undefined) => (row === undefined ? null : people.of(row));
  return {
    insert: (person) => writer.call('insertPerson', person),
    byId: async (accountId) => personOf(one.get(accountId)),
    byEmail: async (email) => personOf(byEmail.get(email)),
    setPassword: (accountId, { passwordHash, passwordVersion }) =>
      writer.call('setPassword', accountId, passwordHash, passwordVersion),
    prove: (accountId, email, now) => writer.call('proveAddress', accountId, email, now),
  };
}

export function passStore(reader: Reader, writer: WriterThread): PassStore {
  const one = reader.query<Row<Pass>>(
    `select ${passes.list} from passes where id = ? and kind = ? and expires_at > ?`,
  );
  return {
    insert: (pass) => writer.call('insertPass', pass),
    async find(id, kind, now) {
      const row = one.get(id, kind, now);
      return row === undefined ? null : passes.of(row);
    },
    take: (id, kind, now) => writer.call('takePass', id, kind, now),
    keepNewest: (accountId, kind, count) => writer.call('keepNewestPasses', accountId, kind, count),
    dropExpired: (before) => writer.call('dropExpiredPasses', before),
  };
}
