/** Writes to messages and held facts: each applies in one channel, a foreign or unknown id has no effect. */
import type { HeldFact } from '../../../../../actors/channel/ports.ts';
import type { DeliveryStatus, OutboundMessage } from '../../../../domain/messages/message.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { bit, insertInto } from './insert.ts';

export interface MessageRef {
  channelId: string;
  messageId: string;
}

/** [spec: Delivery status of a message] `failed` stands beside the ranks. */
const rankOf: Record<DeliveryStatus, number> = { sent: 1, delivered: 2, read: 3, failed: 0 };

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
        m.content,
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

function messageFacts(db: Database) {
  // The message is looked up in its channel by the same statement: a foreign id adds nothing.
  const addUpstreamId = db.prepare(`
    insert or ignore into message_upstream_ids
    select channel_id, ?1, id from messages where id = ?2 and channel_id = ?3`);
  const accept = db.prepare(`
    update messages set state = 'sent', rank = max(rank, ?), upstream_ids = json_insert(upstream_ids, ?, ?),
      next_try_at = null, error = null, error_code = null, content = null
    where id = ? and channel_id = ?`);
  const defer = db.prepare(`
    update messages set state = 'queued', copies = max(copies - 1, 0), next_try_at = ?, error = ?, error_code = ?
    where id = ? and channel_id = ? and state = 'sending'`);
  const unknown = db.prepare(
    `update messages set state = 'queued' where id = ? and channel_id = ? and state = 'sending'`,
  );
  const fail = db.prepare(`
    update messages set state = 'failed', next_try_at = null, error = ?, error_code = ?, content = null
    where id = ? and channel_id = ? and state <> 'sent'`);
  // A status that says nothing new changes no page: upstream repeats itself.
  const advance = db.prepare(`
    update messages set state = case state when 'abandoned' then state else 'sent' end,
      rank = max(rank, ?1), delivery_failed = max(delivery_failed, ?2),
      upstream_ids = json_insert(upstream_ids, ?3, ?4), next_try_at = null, error = null, error_code = null,
      content = null
    where id = ?5 and channel_id = ?6
      and (rank < ?1 or delivery_failed < ?2 or ?4 is not null or state not in ('sent', 'abandoned'))`);

  /** Where to put a new upstream id in the list, and the id; nowhere when it is known or there is none. */
  function placeOf(ref: MessageRef, upstreamId: string | null): [string, string | null] {
    const isNew =
      upstreamId !== null && changed(addUpstreamId.run(upstreamId, ref.messageId, ref.channelId)) === 1;
    return isNew ? ['$[#]', upstreamId] : ['$', null]; // json_insert never overwrites: at '$' it does nothing
  }

  return {
    recordAccepted(ref: MessageRef, upstreamId: string | null, rank: number): void {
      const [place, id] = placeOf(ref, upstreamId);
      accept.run(rank, place, id, ref.messageId, ref.channelId);
    },
    recordDeferred(ref: MessageRef, nextTryAt: number, error: string, errorCode: number | null): void {
      defer.run(nextTryAt, error, errorCode, ref.messageId, ref.channelId);
    },
    recordUnknown(ref: MessageRef): void {
      unknown.run(ref.messageId, ref.channelId);
    },
    recordFailed(ref: MessageRef, error: string, errorCode: number | null): void {
      fail.run(error, errorCode, ref.messageId, ref.channelId);
    },
    recordStatus(ref: MessageRef, status: DeliveryStatus, upstreamId: string | null): void {
      const [place, id] = placeOf(ref, upstreamId);
      advance.run(rankOf[status], bit(status === 'failed'), place, id, ref.messageId, ref.channelId);
    },
  };
}

function heldFacts(db: Database) {
  const add = db.prepare(
    insertInto(
      'held_facts',
      ['channel_id', 'id', 'fact', 'expires_at'],
      'on conflict do update set fact = excluded.fact, expires_at = excluded.expires_at',
    ),
  );
  const drop = db.prepare('delete from held_facts where channel_id = ? and id = ?');
  return {
    hold(channelId: string, held: HeldFact): void {
      add.run(channelId, held.id, JSON.stringify(held.fact), held.expiresAt);
    },
    dropHeld(channelId: string, ids: readonly string[]): void {
      for (const id of ids) drop.run(channelId, id);
    },
  };
}
