/** First answers of sends that carried an `Idempotency-Key`. */
import type { IdempotencyStore } from '../../../../use-cases/ports/messages.ts';
import type { WriterThread } from '../writer-thread.ts';

export function idempotencyStore(writer: WriterThread): IdempotencyStore {
  return {
    async begin(record, notBefore) {
      return (await writer.call('beginIdempotent', record, notBefore)) ?? record;
    },
    answered: ({ accountId, key, messageId }, answer) =>
      writer.call('setIdempotentAnswer', { accountId, key, messageId }, JSON.stringify(answer)),
    forget: ({ accountId, key, messageId }) => writer.call('forgetIdempotent', { accountId, key, messageId }),
    dropOlder: (than) => writer.call('dropIdempotent', than),
  };
}
