import { entity, entityBy } from './entity.ts';
import { integer, integerOrNull, text, textOrNull } from './fields.ts';
import type { SealedText } from '../../kernel/sealed.ts';

/** `linesLeftOut`: how many lines came after the mail was full. */
export type MailHead = Omit<StoredMail, 'lines'> & { linesLeftOut: number };

/** A document holds its lines as well, and marks an unsent mail with `unsent`. */
export const mails = entity<MailHead>('mails', {
  fields: {
    id: text(),
    accountId: text(),
    kind: text(),
    subject: text(),
    sendAfter: integer(),
    gathersUntil: integer({ before: 0 }),
    sentAt: integerOrNull(),
    givenUp: textOrNull(),
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

/** In files only. Lines of the mail's opening have positions up to 0; lines that were added later follow. */
export const mailLines = entityBy<MailLineRow>('mail_lines', ['mailId', 'position'], {
  fields: { mailId: text(), position: integer(), line: text() },
  indexes: {},
});

export interface StoredMail {
  id: string;
  accountId: string;
  kind: string;
  subject: string;
  /** Opening line and the first `maxMailLines` lines; the last one counts the omitted lines. */
  lines: string[];
  /** URL that replaces `linkPlace` in the lines; null: no link, mail sent, or link expired. */
  link: SealedText | null;
  /** Recipient's address; null: the account's address at the time of sending. */
  recipient: string | null;
  sendAfter: number;
  /** Until then (ms) lines are added to it: had it left, nobody would read those. 0: it was written whole. */
  gathersUntil: number;
  /** When a mail server took the mail, or when it was given up; null: it still waits. */
  sentAt: number | null;
  /** Outcome of the last try of a mail that was given up; null: it was not. */
  givenUp: string | null;
  createdAt: number;
}
