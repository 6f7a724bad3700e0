/** The first answers of sends with an `Idempotency-Key`. */
import type { IdempotencyStore } from './port.ts';
import type { RecordsOf } from '../../storage/records.ts';
import type { IdempotencyRecord } from '../../storage/entities/messages.ts';
import { idempotency } from '../../storage/entities/messages.ts';

export function idempotencyStore(recordsOf: RecordsOf): IdempotencyStore {
  const records = recordsOf(idempotency);

  /** Removes the outdated record unless another caller has replaced it; the next insert decides. */
  async function drop({ accountId, key, messageId, createdAt }: IdempotencyRecord): Promise<void> {
    await records.remove({ accountId, key, messageId, createdAt });
  }

  return {
    async begin(record, notBefore) {
      const { accountId, key } = record;
      for (;;) {
        if (await records.insert(record)) return record;
        const standing = await records.one({ accountId, key });
        if (standing !== null && standing.createdAt >= notBefore) return standing;
        if (standing !== null) await drop(standing);
      }
    },
    answered: ({ accountId, key, messageId }, answer) =>
      records.patchEach([
        { which: { accountId, key, messageId, answer: null }, change: { set: { answer } } },
      ]),
    async forget({ accountId, key, messageId }) {
      await records.remove({ accountId, key, messageId, answer: null });
    },
    dropOlder: (than, stopping) => records.sweep({ on: 'createdAt', below: than }, stopping),
  };
}
