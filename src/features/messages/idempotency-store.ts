/** The first answers of sends with an `Idempotency-Key`. */
import type { RecordsOf } from '../../storage/records.ts';
import type { IdempotencyRecord } from '../../storage/entities/messages.ts';
import { idempotency } from '../../storage/entities/messages.ts';

export function idempotencyStore(recordsOf: RecordsOf) {
  const records = recordsOf(idempotency);

  /** Removes the outdated record unless another caller has replaced it; the next insert decides. */
  async function drop({ accountId, key, messageId, createdAt }: IdempotencyRecord): Promise<void> {
    await records.remove({ accountId, key, messageId, createdAt });
  }

  return {
    /** Inserts unless the account has used the key since `notBefore`; returns the stored record. */
    async begin(record: IdempotencyRecord, notBefore: number): Promise<IdempotencyRecord> {
      const { accountId, key } = record;
      for (;;) {
        if (await records.insert(record)) return record;
        const standing = await records.one({ accountId, key });
        if (standing !== null && standing.createdAt >= notBefore) return standing;
        if (standing !== null) await drop(standing);
      }
    },
    /** Stores the answer on the record of this message id, unless it has one: the first answer is kept. */
    answered: ({ accountId, key, messageId }: RecordId, answer: unknown): Promise<void> =>
      records.patchEach([
        { which: { accountId, key, messageId, answer: null }, change: { set: { answer } } },
      ]),
    /**
     * After a refusal nothing was sent, and the key may be used again. A record of another message id is kept, and one with an answer:
     * a concurrent request has sent under it.
     */
    async forget({ accountId, key, messageId }: RecordId): Promise<void> {
      await records.remove({ accountId, key, messageId, answer: null });
    },
    dropOlder: (than: number, stopping?: AbortSignal): Promise<number> =>
      records.sweep({ on: 'createdAt', below: than }, stopping),
  };
}

export type IdempotencyStore = ReturnType<typeof idempotencyStore>;

type RecordId = Pick<IdempotencyRecord, 'accountId' | 'key' | 'messageId'>;
