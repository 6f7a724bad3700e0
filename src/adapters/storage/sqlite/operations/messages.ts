/** Writes to messages: each applies in one channel, a foreign or unknown id has no effect. */
import type { Write } from '../../../../../actors/channel/ports/writes.ts';
import type { EndedCall } from '../../../../domain/messages/call-log.ts';
import type { DeliveryStatus, OutboundMessage, StatusTimes } from '../../../../domain/messages/message.ts';
import { rankOf, statusTimes } from '../../../../domain/messages/message.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { bit } from '../column-types.ts';
import { unread } from '../../entities/messages.ts';
import { messageUpstreamIds, messages } from '../tables.ts';

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
       next_try_at = null, epoch = :epoch, calls = ${logged('json_insert')}
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
    claimCopy(ref: MessageRef, epoch: number, { expect, attemptedAt, before }: CopyClaim): boolean {
      const started = before === undefined ? undefined : { ...unseenEnd, ...before };
      return changed(claim.run(ref, expect, { epoch, attemptedAt }, entryOf(started))) === 1;
    },
  };
}

type CopyClaim = Omit<Extract<Write, { write: 'claimCopy' }>, 'write' | 'messageId'>;

/** One more entry of `calls`. With `json_insert` one that is there stays. */
function logged(how: 'json_insert' | 'json_set'): string {
  return `iif(:callPath is null, calls, ${how}(coalesce(calls, '{}'), :callPath, json(:call)))`;
}

function entryOf(call: EndedCall | undefined): { callPath: string | null; call: string | null } {
  if (call === undefined) return { callPath: null, call: null };
  const { n, ...entry } = call;
  return { callPath: `$."${n}"`, call: JSON.stringify(entry) };
}

const unseenEnd = { endedAt: null, outcome: 'unknown', error: null, code: null, traceId: null } as const;

interface Standing extends StatusTimes {
  state: string;
  rank: number;
  deliveryFailed: number;
  upstreamIds: string;
}

/** Where to put a new upstream id in the list, and the id. At '$' nothing is put: json_insert never overwrites. */
interface UpstreamIdInsert {
  path: '$[#]' | '$';
  upstreamId: string | null;
}

interface Report {
  rank: number;
  failed: boolean;
  at: number;
  /** What was reached at that time. */
  statuses: readonly DeliveryStatus[];
  why: { error: string | null; errorCode: number | null };
  call?: EndedCall;
}

const noReason = { error: null, errorCode: null };

const selectStanding = `
  select state, rank, delivery_failed as deliveryFailed, upstream_ids as upstreamIds, sent_at as sentAt,
    delivered_at as deliveredAt, read_at as readAt, failed_at as failedAt
  from messages where id = ? and channel_id = ?`;

const setTimes = 'sent_at = :sentAt, delivered_at = :deliveredAt, read_at = :readAt, failed_at = :failedAt';
const setReason = 'error = coalesce(:error, error), error_code = iif(:error is null, error_code, :errorCode)';

/** The earliest time that was told of each. */
function timesAfter(known: StatusTimes, { statuses, at }: Report): StatusTimes {
  const { sentAt, deliveredAt, readAt, failedAt } = known;
  const times = { sentAt, deliveredAt, readAt, failedAt };
  for (const status of statuses) {
    const place = statusTimes[status];
    times[place] = Math.min(times[place] ?? at, at);
  }
  return times;
}

function areSame(a: StatusTimes, b: StatusTimes): boolean {
  return (
    a.sentAt === b.sentAt &&
    a.deliveredAt === b.deliveredAt &&
    a.readAt === b.readAt &&
    a.failedAt === b.failedAt
  );
}

function reachedStatements(db: Database) {
  const confirm = prepareNamed(
    db,
    `update messages set state = :state, rank = :rank, delivery_failed = :failed, is_unread = :isUnread,
       status_at = max(coalesce(status_at, 0), :at), upstream_ids = json_insert(upstream_ids, :path, :upstreamId),
       ${setTimes}, ${setReason}, calls = ${logged('json_set')}, next_try_at = null, content = null
     where id = :messageId`,
  );
  // Most statuses raise a rank and nothing else: without its columns no index is written. [performance §3, bench 5]
  const raise = prepareNamed(
    db,
    `update messages set rank = :rank, delivery_failed = :failed,
       status_at = max(coalesce(status_at, 0), :at), upstream_ids = json_insert(upstream_ids, :path, :upstreamId),
       ${setTimes}, ${setReason}
     where id = :messageId`,
  );
  return { confirm, raise };
}

function messageFacts(db: Database) {
  const standing = db.prepare<Standing>(selectStanding);
  const addUpstreamId = messageUpstreamIds.insert(db, 'on conflict do nothing');
  const { confirm, raise } = reachedStatements(db);

  function locateMessage(ref: MessageRef, known: Standing, upstreamId: string | null): UpstreamIdInsert {
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
    const { path, upstreamId: added } = locateMessage(ref, known, upstreamId);
    const { messageId } = ref;
    const state = stateAfter(known.state);
    const rank = Math.max(known.rank, report.rank);
    const failed = Math.max(known.deliveryFailed, bit(report.failed));
    const times = timesAfter(known, report);
    const next = { messageId, rank, failed, at: report.at, path, upstreamId: added };
    if (known.state !== 'sent' || (rank === readRank && known.rank < readRank)) {
      const ending = { state, isUnread: unread(state, rank) };
      confirm.run(next, times, report.why, ending, entryOf(report.call));
    } else if (
      rank !== known.rank ||
      failed !== known.deliveryFailed ||
      added !== null ||
      !areSame(times, known)
    ) {
      raise.run(next, times, report.why);
    }
  }

  return {
    ...messageSetbacks(db),
    recordAccepted(ref: MessageRef, { upstreamId, rank, at, call }: Fact<'recordAccepted'>): void {
      const statuses = rank >= deliveredRank ? acceptedAndDelivered : acceptedOnly;
      reached(ref, upstreamId, () => 'sent', { rank, failed: false, at, statuses, why: noReason, call });
    },
    recordStatus(ref: MessageRef, fact: Fact<'recordStatus'>): void {
      const { status, at, why = noReason } = fact;
      const failed = status === 'failed';
      const report = { rank: rankOf(status), failed, at, statuses: [status], why };
      reached(ref, fact.upstreamId, sentUnlessAbandoned, report);
    },
  };
}

type Fact<W extends Write['write']> = Omit<Extract<Write, { write: W }>, 'messageId' | 'write'>;

const deliveredRank = rankOf('delivered');
const acceptedOnly = ['sent'] as const;
const acceptedAndDelivered = ['sent', 'delivered'] as const;

/** A marker stays one: nothing was sent under this id. */
function sentUnlessAbandoned(state: string): string {
  return state === 'abandoned' ? state : 'sent';
}

function messageSetbacks(db: Database) {
  const ofMessage = 'id = :messageId and channel_id = :channelId';
  const defer = prepareNamed(
    db,
    `update messages set state = 'queued', copies = max(copies - 1, 0), next_try_at = :nextTryAt, error = :error,
       error_code = :errorCode, calls = ${logged('json_set')}
     where ${ofMessage} and state = 'sending'`,
  );
  const unknown = prepareNamed(
    db,
    `update messages set state = 'queued', calls = ${logged('json_set')} where ${ofMessage} and state = 'sending'`,
  );
  const fail = prepareNamed(
    db,
    `update messages set state = 'failed', next_try_at = null, error = :error, error_code = :errorCode,
       failed_at = coalesce(failed_at, :at), calls = ${logged('json_set')}, content = null
     where ${ofMessage} and state <> 'sent'`,
  );

  return {
    recordDeferred(ref: MessageRef, fact: Fact<'recordDeferred'>): void {
      const { nextTryAt, error, errorCode, call } = fact;
      defer.run(ref, { nextTryAt, error, errorCode }, entryOf(call));
    },
    recordUnknown(ref: MessageRef, { call }: Fact<'recordUnknown'>): void {
      unknown.run(ref, entryOf(call));
    },
    recordFailed(ref: MessageRef, { error, errorCode, at, call }: Fact<'recordFailed'>): void {
      fail.run(ref, { error, errorCode, at }, entryOf(call));
    },
  };
}
