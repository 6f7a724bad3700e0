/** First answers of sends that carried an `Idempotency-Key`. */
import type { IdempotencyRecord, IdempotencyStore } from '../../../../use-cases/ports/messages.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { StoredRecord } from '../tables/idempotency.ts';

export function idempotencyStore(writer: WriterThread): IdempotencyStore {
  return {
    async begin(record, notBefore) {
      const answer = record.answer === null ? null : JSON.stringify(record.answer);
      const standing = await writer.call('beginIdempotent', { ...record, answer }, notBefore);
      return standing === null ? record : standingOf(standing);
    },
    answered: ({ accountId, key, messageId }, answer) =>
      writer.call('setIdempotentAnswer', { accountId, key, messageId }, JSON.stringify(answer)),
    forget: ({ accountId, key, messageId }) => writer.call('forgetIdempotent', { accountId, key, messageId }),
    dropOlder: (than) => writer.call('dropIdempotent', than),
  };
}

function standingOf(standing: StoredRecord): IdempotencyRecord {
  const answer: unknown = standing.answer === null ? null : JSON.parse(standing.answer);
  return { ...standing, answer };
}
