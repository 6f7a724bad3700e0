/** Setup sessions. */
import type { SetupSessionStore } from '../../../../use-cases/ports/connecting.ts';
import type { MongoContext } from '../collections.ts';
import { newToken } from '../commands.ts';
import { sessionOf, stored } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';

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
    async reopen({ id, finishedAt }) {
      if (finishedAt === null) return;
      await retryPolicy.run('reopen a setup session', () =>
        sessions.updateOne({ _id: id, finishedAt }, { $unset: { finishedAt: '', finisher: '' } }),
      );
    },
    async dropExpired(before) {
      const dropped = await retryPolicy.run('drop setup sessions', () =>
        sessions.deleteMany({ expiresAt: { $lt: new Date(before) } }),
      );
      return dropped.deletedCount;
    },
  };
}
