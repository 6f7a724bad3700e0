/** Writes to setup sessions and idempotency records. */
import type { IdempotencyRecord, RecordId } from '../../../../use-cases/ports/messages.ts';
import type { SetupSession } from '../../../../use-cases/ports/connecting.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { insertInto } from './insert.ts';

export interface StandingRecord {
  body_hash: string;
  message_id: string;
  answer: string | null;
  created_at: number;
}

export function setupSessionOperations(db: Database) {
  const add = db.prepare(
    insertInto('setup_sessions', [
      'id',
      'account_id',
      'api_key_id',
      'channel_type',
      'redirect_uri',
      'token_hash',
      'expires_at',
      'finished_at',
    ]),
  );
  const finish = db.prepare(`
    update setup_sessions set finished_at = ?1
    where id = ?2 and token_hash = ?3 and finished_at is null and expires_at > ?1`);
  const drop = db.prepare('delete from setup_sessions where expires_at < ?');

  return {
    insertSession(s: SetupSession): void {
      const { id, accountId, apiKeyId, channelType, redirectUri, tokenHash, expiresAt, finishedAt } = s;
      add.run(id, accountId, apiKeyId, channelType, redirectUri, tokenHash, expiresAt, finishedAt);
    },
    finishSession: (sessionId: string, tokenHash: string, now: number): boolean =>
      changed(finish.run(now, sessionId, tokenHash)) === 1,
    dropExpiredSessions: (before: number): number => changed(drop.run(before)),
  };
}

export function idempotencyOperations(db: Database) {
  const standing = db.prepare<StandingRecord>(`
    select body_hash, message_id, answer, created_at from idempotency
    where account_id = ? and key = ? and created_at >= ?`);
  const put = db.prepare(
    `insert or replace into idempotency (account_id, key, body_hash, message_id, answer, created_at)
     values (?, ?, ?, ?, ?, ?)`,
  );
  const setAnswer = db.prepare(
    'update idempotency set answer = ? where account_id = ? and key = ? and message_id = ? and answer is null',
  );
  const remove = db.prepare('delete from idempotency where account_id = ? and key = ? and message_id = ?');
  const drop = db.prepare('delete from idempotency where created_at < ?');

  return {
    /** The record that stands already; null when this one was put. `answer` is the record's, as JSON. */
    beginIdempotent(r: IdempotencyRecord, answer: string | null, notBefore: number): StandingRecord | null {
      const found = standing.get(r.accountId, r.key, notBefore);
      if (found !== undefined) return { ...found };
      put.run(r.accountId, r.key, r.bodyHash, r.messageId, answer, r.createdAt);
      return null;
    },
    setIdempotentAnswer({ accountId, key, messageId }: RecordId, answer: string): void {
      setAnswer.run(answer, accountId, key, messageId);
    },
    forgetIdempotent({ accountId, key, messageId }: RecordId): void {
      remove.run(accountId, key, messageId);
    },
    dropIdempotent: (than: number): number => changed(drop.run(than)),
  };
}
