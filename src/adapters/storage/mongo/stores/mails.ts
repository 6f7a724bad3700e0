/** The outbox of mails, as their senders and readers see it. */
import type { MailStore, StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { MailDocument, MongoContext } from '../collections.ts';
import { withRest } from '../../../../domain/mails/letter.ts';
import { newToken } from '../commands.ts';
import { dropSlices } from './drop-slices.ts';
import { readPage } from './paging.ts';

export function mailStore(context: MongoContext): MailStore {
  const { mails, retryPolicy } = context;
  return {
    list: (accountId, page) =>
      retryPolicy.run('list mails', () =>
        readPage(mails, accountId === null ? {} : { accountId }, page, -1, toMail),
      ),
    async due(now, limit) {
      const found = await retryPolicy.run('read due mails', () =>
        mails
          .find({ unsent: true, sendAfter: { $lte: now } }, { projection: { _id: 1 } })
          .sort({ sendAfter: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(({ _id }) => _id);
    },
    async unsent(mailId) {
      const found = await retryPolicy.run('read a mail', () => mails.findOne({ _id: mailId, unsent: true }));
      return found === null ? null : toMail(found);
    },
    async postpone(mailId, sendAfter) {
      await retryPolicy.run('postpone a mail', () =>
        mails.updateOne({ _id: mailId, unsent: true }, { $set: { sendAfter } }),
      );
    },
    add: (mail) => addMail(context, mail),
    async markSent(mailId, now) {
      await retryPolicy.run('mark a mail sent', () =>
        mails.updateOne(
          { _id: mailId, unsent: true },
          { $set: { sentAt: now }, $unset: { unsent: '', link: '' } },
        ),
      );
    },
    async dropLinks(before) {
      const { modifiedCount } = await retryPolicy.run('drop links of mails', () =>
        mails.updateMany({ link: { $exists: true }, createdAt: { $lt: before } }, { $unset: { link: '' } }),
      );
      return modifiedCount;
    },
    dropOlder: (before, butOfKind) =>
      dropSlices(mails, { createdAt: { $lt: before }, kind: { $ne: butOfKind } }, retryPolicy),
  };
}

async function addMail(
  { mails, retryPolicy }: MongoContext,
  { id, lines, sentAt, link, recipient, ...mail }: StoredMail,
): Promise<boolean> {
  const token = newToken();
  const document: MailDocument = {
    _id: id,
    ...mail,
    lines: lines.map((line) => ({ token, line })),
    told: lines.length,
    ...(link === null ? {} : { link }),
    ...(recipient === null ? {} : { recipient }),
    ...(sentAt === null ? { unsent: true } : { sentAt }),
  };
  return retryPolicy.run('insert a mail', async (attempt) => {
    try {
      await mails.insertOne(document);
      return true;
    } catch (error) {
      const there = await mails.findOne({ _id: id });
      if (there === null) throw error;
      return attempt > 0 && there.lines.some((line) => line.token === token);
    }
  });
}

function toMail(d: MailDocument): StoredMail {
  const { _id: id, accountId, kind, subject, sendAfter, createdAt } = d;
  const { sentAt = null, link = null, recipient = null } = d;
  const kept = [...(d.opening ?? []), ...d.lines.map(({ line }) => line)];
  const lines = withRest(kept, Math.max(0, (d.told ?? 0) - d.lines.length));
  return { id, accountId, kind, subject, lines, link, recipient, sendAfter, sentAt, createdAt };
}
