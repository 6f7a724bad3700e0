/** Writes to the outbox of mails that touch its lines. */
import type { MailLine } from '../../../../../actors/channel/ports/writes.ts';
import type { StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { Database } from '../sqlite.ts';
import { maxMailLines } from '../../../../domain/mails/letter.ts';
import { changed } from '../sqlite.ts';
import { mails } from '../tables.ts';

/** A call of the sweep erases so many mails at most, and so many lines of one: others wait behind it. */
const sliceMails = 20;
const sliceLines = 1_000;

export function mailOperations(db: Database) {
  const add = mails.insert(db, 'on conflict (id) do nothing');
  const putLine = db.prepare('insert into mail_lines (mail_id, position, line) values (?, ?, ?)');
  const addLine = db.prepare(`
    insert into mail_lines (mail_id, position, line)
    select ?1, next, ?2 from (
      select coalesce(max(position), 0) + 1 as next from mail_lines where mail_id = ?1 and position > 0)
    where next <= ${maxMailLines}`);
  const leaveOut = db.prepare('update mails set lines_left_out = lines_left_out + 1 where id = ?');
  const old = db.prepare<{ id: string }>(
    `select id from mails where created_at < ? and kind <> ? order by created_at limit ${sliceMails}`,
  );
  const dropLines = db.prepare(`
    delete from mail_lines where mail_id = ?1 and position in (
      select position from mail_lines where mail_id = ?1 limit ${sliceLines})`);
  const drop = db.prepare('delete from mails where id = ?');
  return {
    addMail(mail: MailLine): void {
      const { id, opening, line } = mail;
      const isNew = add({ ...mail, link: null, recipient: null, sentAt: null, linesLeftOut: 0 }) > 0;
      if (isNew) opening.forEach((each, at) => putLine.run(id, at + 1 - opening.length, each));
      if (changed(addLine.run(id, line)) === 0) leaveOut.run(id);
    },
    /** False when it is there. */
    addWhole(mail: StoredMail): boolean {
      if (add({ ...mail, linesLeftOut: 0 }) === 0) return false;
      mail.lines.forEach((line, at) => putLine.run(mail.id, at + 1, line));
      return true;
    },
    /** How many mails went, or lost lines. 0: nothing is left. */
    dropSlice(before: number, butOfKind: string): { mails: number; touched: number } {
      let dropped = 0;
      const found = old.all(before, butOfKind);
      for (const { id } of found) {
        // One written before lines were counted has any number of them.
        if (changed(dropLines.run(id)) === sliceLines) break;
        dropped += changed(drop.run(id));
      }
      return { mails: dropped, touched: found.length };
    },
  };
}
