/** Setup sessions, idempotency records and mails. */
import type { IdempotencyRecord, IdempotencyStore } from '../../../../use-cases/ports/messages.ts';
import type { MailStore, StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { SetupSessionStore } from '../../../../use-cases/ports/connecting.ts';
import type { MongoContext, IdempotencyDocument, MailDocument } from '../collections.ts';
import { newToken } from '../commands.ts';
import type { NewDocument } from '../commands.ts';
import { sessionOf, stored } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';
import { pageOf } from './paging.ts';

const openAt = (sessionId: string, tokenHash: string, now: number) => ({
  _id: sessionId,
  tokenHash,
  finishedAt: { $exists: false },
  expiresAt: { $gt: new Date(now) },
});

export function setupSessionStore({ sessions, retryPolicy }: MongoContext): SetupSessionStore {
  return {
    async insert(session) {
      const document = { ...stored(session), expiresAt: new Date(session.expiresAt) };
      let isRepeated = false;
      try {
        await retryPolicy.run('insert a setup session', (attempt) => {
          isRepeated = attempt > 0;
          return sessions.insertOne(document);
        });
      } catch (error) {
        if (!(isRepeated && error instanceof DuplicateKey)) throw error;
      }
    },
    async open(sessionId, tokenHash, now) {
      const found = await retryPolicy.run('read a setup session', () =>
        sessions.findOne(openAt(sessionId, tokenHash, now)),
      );
      return found === null ? null : sessionOf(found);
    },
    /** A repeated attempt that finds its own mark was not in vain: exactly one caller gets it, and that one does. */
    async finish(sessionId, tokenHash, now) {
      const finisher = newToken();
      const found = await retryPolicy.run('finish a setup session', async (attempt) => {
        const finished = await sessions.findOneAndUpdate(
          openAt(sessionId, tokenHash, now),
          { $set: { finishedAt: now, finisher } },
          { returnDocument: 'after' },
        );
        if (finished !== null || attempt === 0) return finished;
        return sessions.findOne({ _id: sessionId, finisher });
      });
      return found === null ? null : sessionOf(found);
    },
    async dropExpired(before) {
      const dropped = await retryPolicy.run('drop setup sessions', () =>
        sessions.deleteMany({ expiresAt: { $lt: new Date(before) } }),
      );
      return dropped.deletedCount;
    },
  };
}

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

export function mailStore({ mails, retryPolicy }: MongoContext): MailStore {
  return {
    list: (accountId, page) =>
      retryPolicy.run('list mails', () =>
        pageOf(mails, accountId === null ? {} : { accountId }, page, -1, mailOf),
      ),
    async due(now, limit) {
      const found = await retryPolicy.run('read due mails', () =>
        mails
          .find({ unsent: true, sendAfter: { $lte: now } })
          .sort({ sendAfter: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(mailOf);
    },
    async markSent(mailId, now) {
      await retryPolicy.run('mark a mail sent', () =>
        mails.updateOne({ _id: mailId, unsent: true }, { $set: { sentAt: now }, $unset: { unsent: '' } }),
      );
    },
  };
}

function mailOf(d: MailDocument): StoredMail {
  const { _id: id, accountId, kind, subject, sendAfter, createdAt, sentAt = null } = d;
  const lines = d.lines.map(({ line }) => line);
  return { id, accountId, kind, subject, lines, sendAfter, sentAt, createdAt };
}
