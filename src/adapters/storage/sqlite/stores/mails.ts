/** The outbox of mails, as their senders and readers see it. */
import type { MailStore, StoredMail } from '../../../../use-cases/ports/operating.ts';
import { maxMailLines, withRest } from '../../../../domain/mails/letter.ts';
import type { PagePosition } from '../../../../use-cases/ports/paging.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { mails } from '../tables.ts';
import type { MailHead } from '../../entities/mails.ts';
import type { Row } from '../table.ts';
import { afterAll, readPage } from './paging.ts';

/** `lines`: JSON. */
type MailRow = Row<MailHead> & { lines: string };

/** A mail is its lines. */
const mailsPerSlice = 40;
/** One written before lines were counted has any number of them: these, and an opening. */
const maxRead = maxMailLines + 20;

const select = `
  select ${mails.list},
    (select json_group_array(line order by position) from (
      select line, position from mail_lines where mail_id = mails.id order by position limit ${maxRead})) as lines
  from mails`;

export function mailStore(reader: Reader, writer: WriterThread): MailStore {
  const newest = 'order by created_at desc, id desc limit ?';
  const all = reader.query<MailRow>(`${select} where (created_at, id) < (?, ?) ${newest}`);
  const ofAccount = reader.query<MailRow>(
    `${select} where account_id = ? and (created_at, id) < (?, ?) ${newest}`,
  );
  const due = reader.query<{ id: string }>(
    'select id from mails where sent_at is null and send_after <= ? order by send_after limit ?',
  );
  const unsent = reader.query<MailRow>(`${select} where id = ? and sent_at is null`);
  return {
    async list(accountId, page) {
      const slice = (after: PagePosition, limit: number): StoredMail[] => {
        const rows =
          accountId === null
            ? all.all(after.createdAt, after.id, limit)
            : ofAccount.all(accountId, after.createdAt, after.id, limit);
        return rows.map(toMail);
      };
      return readPage(page, afterAll, slice, mailsPerSlice);
    },
    due: async (now, limit) => due.all(now, limit).map(({ id }) => id),
    async unsent(mailId) {
      const row = unsent.get(mailId);
      return row === undefined ? null : toMail(row);
    },
    postpone: (mailId, sendAfter) => writer.call('postponeMail', mailId, sendAfter),
    add: (mail) => writer.call('addWholeMail', mail),
    markSent: (mailId, now) => writer.call('markSent', mailId, now),
    dropLinks: (before) => writer.call('dropMailLinks', before),
    async dropOlder(before, butOfKind) {
      for (let dropped = 0; ;) {
        const slice = await writer.call('dropMailSlice', before, butOfKind);
        if (slice.touched === 0) return dropped;
        dropped += slice.mails;
      }
    },
  };
}

function toMail(row: MailRow): StoredMail {
  const { linesLeftOut, ...mail } = mails.of(row);
  return { ...mail, lines: withRest(JSON.parse(row.lines), linesLeftOut) };
}
