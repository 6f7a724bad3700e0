/** The outbox of mails, as their senders and readers see it. */
import type { MailStore, StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { mails } from '../tables/mails.ts';
import type { Row } from '../tables/table.ts';
import { afterAll, pageOf } from './paging.ts';

/** `lines`: JSON. */
type MailRow = Row<Omit<StoredMail, 'lines'>> & { lines: string };

const select = `
  select ${mails.list},
    (select json_group_array(line order by position) from mail_lines where mail_id = mails.id) as lines
  from mails`;

export function mailStore(reader: Reader, writer: WriterThread): MailStore {
  const newest = 'order by created_at desc, id desc limit ?';
  const all = reader.query<MailRow>(`${select} where (created_at, id) < (?, ?) ${newest}`);
  const ofAccount = reader.query<MailRow>(
    `${select} where account_id = ? and (created_at, id) < (?, ?) ${newest}`,
  );
  const due = reader.query<MailRow>(
    `${select} where sent_at is null and send_after <= ? order by send_after limit ?`,
  );
  const unsent = reader.query<MailRow>(`${select} where id = ? and sent_at is null`);
  return {
    async list(accountId, page) {
      return pageOf(page, afterAll, (after, limit) => {
        const rows =
          accountId === null
            ? all.all(after.createdAt, after.id, limit)
            : ofAccount.all(accountId, after.createdAt, after.id, limit);
        return rows.map(mailOf);
      });
    },
    due: async (now, limit) => due.all(now, limit).map(mailOf),
    async unsent(mailId) {
      const row = unsent.get(mailId);
      return row === undefined ? null : mailOf(row);
    },
    postpone: (mailId, sendAfter) => writer.call('postponeMail', mailId, sendAfter),
    add: (mail) => writer.call('addWholeMail', mail),
    markSent: (mailId, now) => writer.call('markSent', mailId, now),
  };
}

function mailOf(row: MailRow): StoredMail {
  return { ...mails.of(row), lines: JSON.parse(row.lines) };
}
