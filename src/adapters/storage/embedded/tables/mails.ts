import type { StoredMail } from '../../../../use-cases/ports/operating.ts';
import { id, integer, integerOrNull, text } from './fields.ts';
import { Table } from './table.ts';

/** `linesLeftOut`: how many came after the last that it keeps. */
export type MailHead = Omit<StoredMail, 'lines'> & { linesLeftOut: number };

export const mails = new Table<MailHead>(
  'mails',
  {
    id: id(),
    accountId: text(),
    kind: text(),
    subject: text(),
    sendAfter: integer(),
    sentAt: integerOrNull(),
    createdAt: integer(),
    linesLeftOut: integer({ before: 0 }),
  },
  {
    indexes: {
      mails_by_age: '(created_at, id)',
      mails_of_account: '(account_id, created_at, id)',
      unsent_mails: '(send_after) where sent_at is null',
    },
  },
);

/** The opening stands at positions up to 0, what came line by line behind it. */
export const mailLines = new Table<{ mailId: string; position: number; line: string }>(
  'mail_lines',
  { mailId: text(), position: integer(), line: text() },
  { key: ['mail_id', 'position'] },
);
