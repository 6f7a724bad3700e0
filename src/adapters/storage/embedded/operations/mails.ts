/** Writes to the outbox of mails. */
import type { MailLine } from '../../../../../actors/channel/ports/writes.ts';
import type { StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { Database } from '../sqlite.ts';
import { mails } from '../tables/mails.ts';

export function mailOperations(db: Database) {
  const add = mails.insert(db, 'on conflict (id) do nothing');
  const addLine = db.prepare(`
    insert into mail_lines (mail_id, position, line)
    values (?1, (select coalesce(max(position), 0) + 1 from mail_lines where mail_id = ?1), ?2)`);
  const sent = db.prepare('update mails set sent_at = ? where id = ? and sent_at is null');
  const later = db.prepare('update mails set send_after = ? where id = ? and sent_at is null');
  return {
    addMail(mail: MailLine): void {
      const { id, opening, line } = mail;
      const isNew = add({ ...mail, sentAt: null }) > 0;
      for (const each of isNew ? opening : []) addLine.run(id, each);
      addLine.run(id, line);
    },
    /** False when it is there. */
    addWhole(mail: StoredMail): boolean {
      if (add(mail) === 0) return false;
      for (const line of mail.lines) addLine.run(mail.id, line);
      return true;
    },
    postpone(mailId: string, sendAfter: number): void {
      later.run(sendAfter, mailId);
    },
    markSent(mailId: string, now: number): void {
      sent.run(now, mailId);
    },
  };
}
