/** Writes to people and their passes. */
import type { Pass, PassKind, Person } from '../../../../domain/accounts/person.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { passes, people } from '../tables.ts';
import type { Row } from '../table.ts';

export function peopleOperations(db: Database) {
  const add = people.insert(db, 'on conflict do nothing');
  const setPassword = db.prepare('update people set password_hash = ?, password_version = ? where id = ?');
  const takeAddress = db.prepare('update or ignore accounts set email = ? where id = ?');
  const prove = db.prepare(
    'update people set email = ?, confirmed_at = coalesce(confirmed_at, ?) where id = ?',
  );
  const addPass = passes.insert(db);
  const take = db.prepare<Row<Pass>>(
    `delete from passes where id = ? and kind = ? and expires_at > ? returning ${passes.returned}`,
  );
  const keepNewest = prepareNamed(
    db,
    `delete from passes where id in (select id from passes where account_id = :account and kind = :kind
     order by created_at desc, id desc limit -1 offset :count)`,
  );
  const drop = db.prepare('delete from passes where expires_at < ?');

  return {
    insertPerson: (person: Person): boolean => add(person) === 1,
    setPassword: (id: string, hash: string | null, version: string): boolean =>
      changed(setPassword.run(hash, version, id)) === 1,
    proveAddress: (id: string, email: string, now: number): boolean =>
      changed(takeAddress.run(email, id)) === 1 && changed(prove.run(email, now, id)) === 1,
    insertPass(pass: Pass): void {
      addPass(pass);
    },
    takePass(id: string, kind: PassKind, now: number): Pass | null {
      const row = take.get(id, kind, now);
      return row === undefined ? null : passes.of(row);
    },
    keepNewestPasses(account: string, kind: PassKind, count: number): void {
      keepNewest.run({ account, kind, count });
    },
    dropExpiredPasses: (before: number): number => changed(drop.run(before)),
  };
}
