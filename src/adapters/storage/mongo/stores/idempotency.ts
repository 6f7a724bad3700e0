/** First answers of sends that carried an `Idempotency-Key`. */
import type { IdempotencyRecord, IdempotencyStore } from '../../../../use-cases/ports/messages.ts';
import type { IdempotencyDocument, MongoContext } from '../collections.ts';
import { newToken } from '../commands.ts';
import type { NewDocument } from '../commands.ts';

/** Account ids have no colon: no two pairs share an id. */
const recordId = (accountId: string, key: string): string => `${accountId}:${key}`;

/** Group-committed: an idempotency key comes with a send. */
export function idempotencyStore({ idempotency, commitQueues, retryPolicy }: MongoContext): IdempotencyStore {
  const read = (id: string) =>
    retryPolicy.run('read an idempotency record', () => idempotency.findOne({ _id: id }));

  /** The old record goes, if nobody was faster; whoever inserts next wins. */
  async function dropIf(old: IdempotencyDocument): Promise<void> {
    await retryPolicy.run('drop an idempotency record', () =>
      idempotency.deleteOne({ _id: old._id, token: old.token }),
    );
  }

  return {
    async begin(record, notBefore) {
      const document = documentOf(record);
      for (;;) {
        const { inserted } = await commitQueues.idempotency.add({ inserts: [document] });
        if (inserted[0] === true) return record;
        const standing = await read(document._id);
        if (standing !== null && standing.createdAt.getTime() >= notBefore)
          return standingOf(record, standing);
        if (standing !== null) await dropIf(standing);
      }
    },
    async answered({ accountId, key, messageId }, answer) {
      const id = recordId(accountId, key);
      const q = { _id: id, messageId, answer: { $exists: false } };
      await commitQueues.idempotency.add({
        facts: [{ id, q, u: { $set: { answer: JSON.stringify(answer) } } }],
      });
    },
    async forget({ accountId, key, messageId }) {
      await retryPolicy.run('forget an idempotency record', () =>
        idempotency.deleteOne({ _id: recordId(accountId, key), messageId }),
      );
    },
    async dropOlder(than) {
      const dropped = await retryPolicy.run('drop idempotency records', () =>
        idempotency.deleteMany({ createdAt: { $lt: new Date(than) } }),
      );
      return dropped.deletedCount;
    },
  };
}

function documentOf({ accountId, key, answer, createdAt, ...rest }: IdempotencyRecord): NewDocument {
  return {
    _id: recordId(accountId, key),
    ...rest,
    answer: answer === null ? undefined : JSON.stringify(answer),
    createdAt: new Date(createdAt),
    token: newToken(),
  };
}

function standingOf(asked: IdempotencyRecord, standing: IdempotencyDocument): IdempotencyRecord {
  const { bodyHash, messageId, answer, createdAt } = standing;
  const parsed: unknown = answer === undefined ? null : JSON.parse(answer);
  const { accountId, key } = asked;
  return { accountId, key, bodyHash, messageId, answer: parsed, createdAt: createdAt.getTime() };
}
