import type { StoredMail } from '../../../use-cases/ports/operating.ts';
import { entity, entityBy } from './entity.ts';
import { integer, integerOrNull, text, textOrNull } from './fields.ts';

/** `linesLeftOut`: how many came after the last that it keeps. */
export type MailHead = Omit<StoredMail, 'lines'> & { linesLeftOut: number };

/** A document holds its lines, and says by `unsent` that it was not sent. */
export const mails = entity<MailHead>('mails', {
  fields: {
    id: text(),
    accountId: text(),
    kind: text(),
    subject: text(),
    sendAfter: integer(),
    sentAt: integerOrNull(),
    createdAt: integer(),
    linesLeftOut: integer({ before: 0 }),
    link: textOrNull(),
    recipient: textOrNull(),
  },
  indexes: {
    byAge: { on: ['createdAt', 'id'], file: 'mails_by_age', database: 'age' },
    ofAccount: { on: ['accountId', 'createdAt', 'id'], file: 'mails_of_account', database: 'of_account' },
    withLink: {
      on: ['createdAt'],
      where: { present: 'link' },
      file: 'mails_with_links',
      database: 'with_link',
    },
    unsent: {
      on: ['sendAfter'],
      where: { absent: 'sentAt' },
      filter: { unsent: true },
      file: 'unsent_mails',
      database: 'unsent',
    },
  },
  besideInDocument: ({ sentAt }) => (sentAt === undefined ? {} : { unsent: sentAt === null ? true : null }),
});

interface MailLineRow {
  mailId: string;
  position: number;
  line: string;
}

/** The opening stands at positions up to 0, what came line by line behind it. Only in files. */
export const mailLines = entityBy<MailLineRow>('mail_lines', ['mailId', 'position'], {
  fields: { mailId: text(), position: integer(), line: text() },
  indexes: {},
});
