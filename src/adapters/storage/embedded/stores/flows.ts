/** Setup sessions, idempotency records and mails. */
import type { IdempotencyRecord, IdempotencyStore } from '../../../../use-cases/ports/messages.ts';
import type { MailStore, StoredMail } from '../../../../use-cases/ports/operating.ts';
import type { SetupSessionStore } from '../../../../use-cases/ports/connecting.ts';
import type { StandingRecord } from '../operations/flows.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { sessionColumns, sessionOf } from '../rows.ts';
import type { SessionRow } from '../rows.ts';
import { afterAll, pageOf } from './paging.ts';

export function setupSessionStore(reader: Reader, writer: WriterThread): SetupSessionStore {
  const select = `select ${sessionColumns} from setup_sessions where id = ? and token_hash = ?`;
  const unfinished = reader.query<SessionRow>(`${select} and finished_at is null and expires_at > ?`);
  const one = reader.query<SessionRow>(select);
  return {
    insert: (session) => writer.call('insertSession', session),
    async open(sessionId, tokenHash, now) {
      const row = unfinished.get(sessionId, tokenHash, now);
      return row === undefined ? null : sessionOf(row);
    },
    async finish(sessionId, tokenHash, now) {
      const won = await writer.call('finishSession', sessionId, tokenHash, now);
      const row = won ? one.get(sessionId, tokenHash) : undefined;
      return row === undefined ? null : sessionOf(row);
    },
    dropExpired: (before) => writer.call('dropExpiredSessions', before),
  };
}

export function idempotencyStore(writer: WriterThread): IdempotencyStore {
  return {
    async begin(record, notBefore) {
      const answer = record.answer === null ? null : JSON.stringify(record.answer);
      const standing = await writer.call('beginIdempotent', record, answer, notBefore);
      return standing === null ? record : standingOf(record, standing);
    },
    answered: ({ accountId, key, messageId }, answer) =>
      writer.call('setIdempotentAnswer', { accountId, key, messageId }, JSON.stringify(answer)),
    forget: ({ accountId, key, messageId }) => writer.call('forgetIdempotent', { accountId, key, messageId }),
    dropOlder: (than) => writer.call('dropIdempotent', than),
  };
}

function standingOf({ accountId, key }: IdempotencyRecord, row: StandingRecord): IdempotencyRecord {
  const answer: unknown = row.answer === null ? null : JSON.parse(row.answer);
  return {
    accountId,
    key,
    bodyHash: row.body_hash,
    messageId: row.message_id,
    answer,
    createdAt: row.created_at,
  };
}

interface MailRow {
  id: string;
  account_id: string;
  kind: string;
  subject: string;
  send_after: number;
  sent_at: number | null;
  created_at: number;
  lines: string;
}

const mailSelect = `
  select id, account_id, kind, subject, send_after, sent_at, created_at,
    (select json_group_array(line order by position) from mail_lines where mail_id = mails.id) as lines
  from mails`;

export function mailStore(reader: Reader, writer: WriterThread): MailStore {
  const newest = 'order by created_at desc, id desc limit ?';
  const all = reader.query<MailRow>(`${mailSelect} where (created_at, id) < (?, ?) ${newest}`);
  const ofAccount = reader.query<MailRow>(
    `${mailSelect} where account_id = ? and (created_at, id) < (?, ?) ${newest}`,
  );
  const due = reader.query<MailRow>(
    `${mailSelect} where sent_at is null and send_after <= ? order by send_after limit ?`,
  );
  return {
    async list(accountId, page) {
      return pageOf(page, afterAll, {
        rows: (after, limit) =>
          accountId === null
            ? all.all(after.createdAt, after.id, limit)
            : ofAccount.all(accountId, after.createdAt, after.id, limit),
        item: mailOf,
      });
    },
    due: async (now, limit) => due.all(now, limit).map(mailOf),
    markSent: (mailId, now) => writer.call('markSent', mailId, now),
  };
}

function mailOf(row: MailRow): StoredMail {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    subject: row.subject,
    lines: JSON.parse(row.lines),
    sendAfter: row.send_after,
    sentAt: row.sent_at,
    createdAt: row.created_at,
  };
}
