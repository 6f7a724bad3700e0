/** Mails with their lines, which a document holds as a list. */
import { withRest } from '../../../rules/mails/letter.ts';
import type { WholeMails } from '../../whole-mails.ts';
import type { MailDocument, MongoContext } from '../collections.ts';
import { newToken } from '../commands.ts';
import { items } from '../documents.ts';
import { makeReads, recordCollection } from '../record-reads.ts';
import { dropSlices } from './drop-slices.ts';
import type { StoredMail } from '../../entities/mails.ts';

export function wholeMails(context: MongoContext): WholeMails {
  const { mails, retryPolicy } = context;
  return {
    reads: makeReads(recordCollection(items.mails, context), { projection: {}, of: toMail }),
    add: (mail) => addMail(context, mail),
    dropOlder: (before, butOfKind, stopping) =>
      dropSlices(mails, { createdAt: { $lt: before }, kind: { $ne: butOfKind } }, retryPolicy, stopping),
  };
}

async function addMail(
  { mails, retryPolicy }: MongoContext,
  { id, lines, sentAt, givenUp, link, recipient, ...mail }: StoredMail,
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
    ...(givenUp === null ? {} : { givenUp }),
  };
  return retryPolicy.run('insert a mail', async () => {
    try {
      await mails.insertOne(document);
      return true;
    } catch (error) {
      const there = await mails.findOne({ _id: id });
      if (there === null) throw error;
      return there.lines.some((line) => line.token === token);
    }
  });
}

function toMail(document: object): StoredMail {
  const { opening = [], lines = [], told = 0 }: Partial<MailDocument> = document;
  const { linesLeftOut: _, ...mail } = items.mails.toItem(document);
  const kept = [...opening, ...lines.map(({ line }) => line)];
  return { ...mail, lines: withRest(kept, Math.max(0, told - lines.length)) };
}
