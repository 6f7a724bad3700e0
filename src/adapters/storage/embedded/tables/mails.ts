import type { StoredMail } from '../../../../use-cases/ports/operating.ts';
import { id, integer, integerOrNull, text } from './fields.ts';
import { Table } from './table.ts';

export const mails = new Table<Omit<StoredMail, 'lines'>>(
  'mails',
  {
    id: id(),
    accountId: text(),
    kind: text(),
    subject: text(),
    sendAfter: integer(),
    sentAt: integerOrNull(),
    createdAt: integer(),
  },
  {
    indexes: {
      mails_by_age: '(created_at, id)',
      mails_of_account: '(account_id, created_at, id)',
      unsent_mails: '(send_after) where sent_at is null',
    },
  },
);

export const mailLines = new Table<{ mailId: string; position: number; line: string }>(
  'mail_lines',
  { mailId: text(), position: integer(), line: text() },
  { key: ['mail_id', 'position'] },
);
