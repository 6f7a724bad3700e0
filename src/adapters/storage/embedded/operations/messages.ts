/** Writes to messages: each applies in one channel, a foreign or unknown id has no effect. */
import type { DeliveryStatus, OutboundMessage } from '../../../../domain/messages/message.ts';
import { rankOf } from '../../../../domain/messages/message.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { bit } from '../tables/fields.ts';
import { messageUpstreamIds, messages, unread } from '../tables/messages.ts';

export type MessageRef = {
  channelId: string;
  messageId: string;
};

const readRank = rankOf('read');
const openState = "state in ('sending', 'queued')";

export function messageOperations(db: Database) {
  return { ...messageIntents(db), ...messageFacts(db) };
}

function messageIntents(db: Database) {
  const add = messages.insert(db, 'on conflict (id) do nothing');
  const addUpstreamId = messageUpstreamIds.insert(db, 'on conflict do nothing');
  const epochOf = db.prepare<{ epoch: number }>('select epoch from messages where id = ? and channel_id = ?');
  const claim = prepareNamed(
    db,
    `update messages set state = 'sending', copies = copies + 1, tries = tries + 1, attempted_at = :attemptedAt,
       next_try_at = null, epoch = :epoch
     where id = :messageId and channel_id = :channelId and copies = :copies and tries = :tries and ${openState}`,
  );

  return {
    epochOfMessage: (ref: MessageRef): number => epochOf.get(ref.messageId, ref.channelId)?.epoch ?? 0,
    /** False when any document has this id, of this channel or another. */
    insertMessage(channelId: string, epoch: number, m: OutboundMessage): boolean {
      if (add(m, { channelId, epoch }) === 0) return false;
      for (const upstreamId of m.upstreamIds) addUpstreamId({ channelId, upstreamId, messageId: m.id });
      return true;
    },
    claimCopy(
      ref: MessageRef,
      epoch: number,
      expect: { copies: number; tries: number },
      attemptedAt: number,
    ): boolean {
      return changed(claim.run(ref, expect, { epoch, attemptedAt })) === 1;
    },
  };
}

interface Standing {
  state: string;
  rank: number;
  deliveryFailed: number;
  upstreamIds: string;
}

/** Where to put a new upstream id in the list, and the id. At '$' nothing is put: json_insert never overwrites. */
interface Place {
  path: '$[#]' | '$';
  upstreamId: string | null;
}

interface Report {
  rank: number;
  failed: boolean;
  at: number;
}

const selectStanding = `
  select state, rank, delivery_failed as deliveryFailed, upstream_ids as upstreamIds from messages
  where id = ? and channel_id = ?`;

function messageFacts(db: Database) {
  const standing = db.prepare<Standing>(selectStanding);
  const addUpstreamId = messageUpstreamIds.insert(db, 'on conflict do nothing');
  const confirm = prepareNamed(
    db,
    `update messages set state = :state, rank = :rank, delivery_failed = :failed, is_unread = :isUnread,
       status_at = max(coalesce(status_at, 0), :at), upstream_ids = json_insert(upstream_ids, :path, :upstreamId),
       next_try_at = null, error = null, error_code = null, content = null
     where id = :messageId`,
  );
  // Most statuses raise a rank and nothing else: without its columns no index is written. [performance §3, bench 5]
  const raise = prepareNamed(
    db,
    `update messages set rank = :rank, delivery_failed = :failed,
       status_at = max(coalesce(status_at, 0), :at), upstream_ids = json_insert(upstream_ids, :path, :upstreamId)
     where id = :messageId`,
  );

  function placeOf(ref: MessageRef, known: Standing, upstreamId: string | null): Place {
    if (upstreamId === null || known.upstreamIds.includes(JSON.stringify(upstreamId)))
      return { path: '$', upstreamId: null };
    addUpstreamId({ channelId: ref.channelId, upstreamId, messageId: ref.messageId });
    return { path: '$[#]', upstreamId };
  }

  /** The message is out, whoever says so. No effect when it is absent, no page changed when nothing is new. */
  function reached(
    ref: MessageRef,
    upstreamId: string | null,
    stateAfter: (state: string) => string,
    report: Report,
  ): void {
    const known = standing.get(ref.messageId, ref.channelId);
    if (known === undefined) return;
    const { path, upstreamId: added } = placeOf(ref, known, upstreamId);
    const { messageId } = ref;
    const state = stateAfter(known.state);
    const rank = Math.max(known.rank, report.rank);
    const failed = Math.max(known.deliveryFailed, bit(report.failed));
    const next = { messageId, rank, failed, at: report.at, path, upstreamId: added };
    if (known.state !== 'sent' || (rank === readRank && known.rank < readRank)) {
      confirm.run(next, { state, isUnread: unread(state, rank) });
    } else if (rank !== known.rank || failed !== known.deliveryFailed || added !== null) {
      raise.run(next);
    }
  }

  return {
    ...messageSetbacks(db),
    recordAccepted(ref: MessageRef, upstreamId: string | null, rank: number, at: number): void {
      reached(ref, upstreamId, () => 'sent', { rank, failed: false, at });
    },
    recordStatus(ref: MessageRef, status: DeliveryStatus, upstreamId: string | null, at: number): void {
      reached(ref, upstreamId, sentUnlessAbandoned, reportOf(status, at));
    },
  };
}

function reportOf(status: DeliveryStatus, at: number): Report {
  return { rank: rankOf(status), failed: status === 'failed', at };
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
