/** Writes to the outbox that touch lines of mails. */
import type { MailLine } from '../../journal/writes.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { SweptSlice } from '../../sweep.ts';
import { maxMailLines } from '../../../rules/mails/letter.ts';
import { inSteps, stepRows } from './in-steps.ts';
import type { SliceClock } from './in-steps.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { mails } from '../tables.ts';
import type { StoredMail } from '../../entities/mails.ts';

/** Most lines of a mail that a step of a sweep erases: in older versions a mail could have any number. */
const stepLines = 200;

export function mailOperations(db: Database, clock: SliceClock = systemClock) {
  const add = mails.insert(db, 'on conflict (id) do nothing');
  const putLine = db.prepare('insert into mail_lines (mail_id, position, line) values (?, ?, ?)');
  const addLine = db.prepare(`
    insert into mail_lines (mail_id, position, line)
    select ?1, next, ?2 from (
      select coalesce(max(position), 0) + 1 as next from mail_lines where mail_id = ?1 and position > 0)
    where next <= ${maxMailLines}`);
  const leaveOut = db.prepare('update mails set lines_left_out = lines_left_out + 1 where id = ?');
  const old = db.prepare<{ id: string }>(
    `select id from mails where created_at < ? and kind <> ? order by created_at limit ${stepRows}`,
  );
  const dropLines = db.prepare(`
    delete from mail_lines where mail_id = ?1 and position in (
      select position from mail_lines where mail_id = ?1 limit ${stepLines})`);
  const drop = db.prepare('delete from mails where id = ?');
  return {
    /** Whether the line has made the mail. */
    addMail(mail: MailLine): boolean {
      const { id, opening, line } = mail;
      const rest = { link: null, recipient: null, sentAt: null, givenUp: null, linesLeftOut: 0 };
      const isNew = add({ ...mail, gathersUntil: mail.sendAfter, ...rest }) > 0;
      if (isNew) opening.forEach((each, at) => putLine.run(id, at + 1 - opening.length, each));
      if (changed(addLine.run(id, line)) === 0) leaveOut.run(id);
      return isNew;
    },
    /** False if the mail exists. */
    addWhole(mail: StoredMail): boolean {
      if (add({ ...mail, linesLeftOut: 0 }) === 0) return false;
      mail.lines.forEach((line, at) => putLine.run(mail.id, at + 1, line));
      return true;
    },
    dropSlice: (before: number, butOfKind: string): SweptSlice =>
      inSteps(clock, () => {
        let dropped = 0;
        const found = old.all(before, butOfKind);
        for (const { id } of found) {
          // The next step erases the mail's other lines.
          if (changed(dropLines.run(id)) === stepLines) return { dropped, isLast: false };
          dropped += changed(drop.run(id));
        }
        return { dropped, isLast: found.length < stepRows };
      }),
  };
}
