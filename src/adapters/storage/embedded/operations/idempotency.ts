/** Writes to idempotency records. */
import type { IdempotencyRecord, RecordId } from '../../../../use-cases/ports/messages.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { idempotency } from '../tables.ts';
import type { Row } from '../table.ts';

export function idempotencyOperations(db: Database) {
  const standing = db.prepare<Row<IdempotencyRecord>>(
    `select ${idempotency.list} from idempotency where account_id = ? and key = ? and created_at >= ?`,
  );
  const put = idempotency.put(db);
  const setAnswer = db.prepare(
    'update idempotency set answer = ? where account_id = ? and key = ? and message_id = ? and answer is null',
  );
  const remove = db.prepare('delete from idempotency where account_id = ? and key = ? and message_id = ?');
  const drop = db.prepare('delete from idempotency where created_at < ?');

  return {
    /** The record that stands already; null when this one was put. */
    beginIdempotent(record: IdempotencyRecord, notBefore: number): IdempotencyRecord | null {
      const found = standing.get(record.accountId, record.key, notBefore);
      if (found !== undefined) return idempotency.of(found);
      put(record);
      return null;
    },
    setIdempotentAnswer({ accountId, key, messageId }: RecordId, answer: string): void {
      setAnswer.run(answer, accountId, key, messageId);
    },
    forgetIdempotent({ accountId, key, messageId }: RecordId): void {
      remove.run(accountId, key, messageId);
    },
    dropIdempotent: (than: number): number => changed(drop.run(than)),
  };
}
