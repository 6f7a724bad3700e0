/** Writes to messages and held facts: each applies in one channel, a foreign or unknown id has no effect. */
import type { SealedUnmatchedFact } from '../../../../../actors/channel/ports.ts';
import type { DeliveryStatus, OutboundMessage } from '../../../../domain/messages/message.ts';
import { rankOf } from '../../../../domain/messages/message.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { bit, insertInto } from './insert.ts';

export interface MessageRef {
  channelId: string;
  messageId: string;
}

const readRank = rankOf('read');

/** 1 while a conversation receipt may still raise it: the index of those is then no longer than what is unread. */
function unread(state: string, rank: number): 1 | null {
  return state === 'sent' && rank < readRank ? 1 : null;
}

const openState = "state in ('sending', 'queued')";

const messageColumns = [
  'id',
  'channel_id',
  'account_id',
  'channel_type',
  'origin',
  'recipient',
  'state',
  'rank',
  'delivery_failed',
  'copies',
  'tries',
  'attempted_at',
  'next_try_at',
  'upstream_ids',
  'error',
  'error_code',
  'epoch',
  'created_at',
  'is_unread',
  'content',
];

export function messageOperations(db: Database) {
  return { ...messageIntents(db), ...messageFacts(db), ...heldFacts(db) };
}

function messageIntents(db: Database) {
  const add = db.prepare(insertInto('messages', messageColumns, 'on conflict (id) do nothing'));
  const addUpstreamId = db.prepare('insert or ignore into message_upstream_ids values (?, ?, ?)');
  const epochOf = db.prepare<{ epoch: number }>('select epoch from messages where id = ? and channel_id = ?');
  const claim = db.prepare(`
    update messages set state = 'sending', copies = copies + 1, tries = tries + 1, attempted_at = ?,
      next_try_at = null, epoch = ?
    where id = ? and channel_id = ? and copies = ? and tries = ? and ${openState}`);

  return {
    epochOfMessage: (ref: MessageRef): number => epochOf.get(ref.messageId, ref.channelId)?.epoch ?? 0,
    /** False when any document has this id, of this channel or another. */
    insertMessage(channelId: string, epoch: number, m: OutboundMessage): boolean {
      const added = add.run(
        m.id,
        channelId,
        m.accountId,
        m.channelType,
        m.origin,
        m.recipient,
        m.state,
        m.rank,
        bit(m.deliveryFailed),
        m.copies,
        m.tries,
        m.attemptedAt,
        m.nextTryAt,
        JSON.stringify(m.upstreamIds),
        m.error,
        m.errorCode,
        epoch,
        m.createdAt,
        unread(m.state, m.rank),
        m.state === 'sending' || m.state === 'queued' ? m.content : null,
      );
      if (changed(added) === 0) return false;
      for (const upstreamId of m.upstreamIds) addUpstreamId.run(channelId, upstreamId, m.id);
      return true;
    },
    claimCopy(
      ref: MessageRef,
      epoch: number,
      expect: { copies: number; tries: number },
      at: number,
    ): boolean {
      const { copies, tries } = expect;
      return changed(claim.run(at, epoch, ref.messageId, ref.channelId, copies, tries)) === 1;
    },
  };
}

interface Standing {
  state: string;
  rank: number;
  delivery_failed: number;
  upstream_ids: string;
}

/** Where to put a new upstream id in the list, and the id. At '$' nothing is put: json_insert never overwrites. */
type Place = [path: '$[#]' | '$', upstreamId: string | null];

function messageFacts(db: Database) {
  const standing = db.prepare<Standing>(
    'select state, rank, delivery_failed, upstream_ids from messages where id = ? and channel_id = ?',
  );
  const addUpstreamId = db.prepare('insert or ignore into message_upstream_ids values (?, ?, ?)');
  const confirm = db.prepare(`
    update messages set state = ?, rank = ?, delivery_failed = ?, is_unread = ?,
      upstream_ids = json_insert(upstream_ids, ?, ?), next_try_at = null, error = null, error_code = null,
      content = null
    where id = ?`);
  // Most statuses raise a rank and nothing else: without its columns no index is written. [performance §3, bench 5]
  const raise = db.prepare(`
    update messages set rank = ?, delivery_failed = ?, upstream_ids = json_insert(upstream_ids, ?, ?) where id = ?`);

  function placeOf(ref: MessageRef, known: Standing, upstreamId: string | null): Place {
    if (upstreamId === null || known.upstream_ids.includes(JSON.stringify(upstreamId))) return ['$', null];
    addUpstreamId.run(ref.channelId, upstreamId, ref.messageId);
    return ['$[#]', upstreamId];
  }

  /** The message is out, whoever says so. No effect when it is absent, no page changed when nothing is new. */
  function reached(
    ref: MessageRef,
    upstreamId: string | null,
    stateAfter: (state: string) => string,
    report: { rank: number; failed: boolean },
  ): void {
    const known = standing.get(ref.messageId, ref.channelId);
    if (known === undefined) return;
    const place = placeOf(ref, known, upstreamId);
    const state = stateAfter(known.state);
    const rank = Math.max(known.rank, report.rank);
    const failed = Math.max(known.delivery_failed, bit(report.failed));
    if (known.state !== 'sent' || (rank === readRank && known.rank < readRank)) {
      confirm.run(state, rank, failed, unread(state, rank), ...place, ref.messageId);
    } else if (rank !== known.rank || failed !== known.delivery_failed || place[1] !== null) {
      raise.run(rank, failed, ...place, ref.messageId);
    }
  }

  return {
    ...messageSetbacks(db),
    recordAccepted(ref: MessageRef, upstreamId: string | null, rank: number): void {
      reached(ref, upstreamId, () => 'sent', { rank, failed: false });
    },
    recordStatus(ref: MessageRef, status: DeliveryStatus, upstreamId: string | null): void {
      reached(ref, upstreamId, sentUnlessAbandoned, { rank: rankOf(status), failed: status === 'failed' });
    },
  };
}

/** A marker stays one: nothing was sent under this id. */
function sentUnlessAbandoned(state: string): string {
  return state === 'abandoned' ? state : 'sent';
}

function messageSetbacks(db: Database) {
  const defer = db.prepare(`
    update messages set state = 'queued', copies = max(copies - 1, 0), next_try_at = ?, error = ?, error_code = ?
    where id = ? and channel_id = ? and state = 'sending'`);
  const unknown = db.prepare(
    `update messages set state = 'queued' where id = ? and channel_id = ? and state = 'sending'`,
  );
  const fail = db.prepare(`
    update messages set state = 'failed', next_try_at = null, error = ?, error_code = ?, content = null
    where id = ? and channel_id = ? and state <> 'sent'`);

  return {
    recordDeferred(ref: MessageRef, nextTryAt: number, error: string, errorCode: number | null): void {
      defer.run(nextTryAt, error, errorCode, ref.messageId, ref.channelId);
    },
    recordUnknown(ref: MessageRef): void {
      unknown.run(ref.messageId, ref.channelId);
    },
    recordFailed(ref: MessageRef, error: string, errorCode: number | null): void {
      fail.run(error, errorCode, ref.messageId, ref.channelId);
    },
  };
}

function heldFacts(db: Database) {
  const add = db.prepare(
    insertInto(
      'unmatched_facts',
      ['channel_id', 'id', 'fact', 'expires_at'],
      'on conflict do update set fact = excluded.fact, expires_at = excluded.expires_at',
    ),
  );
  const drop = db.prepare('delete from unmatched_facts where channel_id = ? and id = ?');
  return {
    keepUnmatched(channelId: string, unmatched: SealedUnmatchedFact): void {
      add.run(channelId, unmatched.id, unmatched.fact, unmatched.expiresAt);
    },
    dropUnmatched(channelId: string, ids: readonly string[]): void {
      for (const id of ids) drop.run(channelId, id);
    },
  };
}
