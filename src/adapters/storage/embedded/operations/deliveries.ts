/** Writes to deliveries and to the outbox of mails. */
import type { DeliveryAttempt, MailLine } from '../../../../../actors/channel/ports.ts';
import type { Delivery } from '../../../../domain/webhooks/delivery.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { insertInto } from './insert.ts';

export interface DeliveryRef {
  channelId: string;
  deliveryId: string;
}

const deliveryColumns = [
  'id',
  'channel_id',
  'account_id',
  'event',
  'message_id',
  'state',
  'attempts',
  'first_tried_at',
  'next_due_at',
  'last_result',
  'epoch',
  'created_at',
  'payload',
];

interface ClaimRow {
  state: string;
  attempts: number;
  epoch: number;
}

export function deliveryOperations(db: Database) {
  const add = db.prepare(insertInto('deliveries', deliveryColumns, 'on conflict (id) do nothing'));
  const stateOf = db.prepare<ClaimRow>(
    'select state, attempts, epoch from deliveries where id = ? and channel_id = ?',
  );
  const setEpoch = db.prepare('update deliveries set epoch = ? where id = ? and channel_id = ?');
  // Only while pending, and never back to an earlier attempt: a late result must not revive an erased payload.
  const record = db.prepare(`
    update deliveries set state = ?1, attempts = max(attempts, ?2),
      first_tried_at = coalesce(min(first_tried_at, ?3), ?3), next_due_at = ?4, last_result = ?5,
      payload = case ?1 when 'pending' then payload end
    where id = ?6 and channel_id = ?7 and state = 'pending' and (?1 <> 'pending' or attempts <= ?2)`);

  return {
    epochOfDelivery: (ref: DeliveryRef): number => stateOf.get(ref.deliveryId, ref.channelId)?.epoch ?? 0,
    insertDelivery(channelId: string, epoch: number, d: Delivery): boolean {
      const added = add.run(
        d.id,
        channelId,
        d.accountId,
        d.event,
        d.messageId,
        d.state,
        d.attempts,
        d.firstTriedAt,
        d.nextDueAt,
        d.lastResult,
        epoch,
        d.createdAt,
        d.payload,
      );
      return changed(added) === 1;
    },
    /** A claim under the epoch that is stored already changes no page, so that alone in its batch it costs no fsync. */
    claimDelivery(ref: DeliveryRef, epoch: number, attempts: number): boolean {
      const row = stateOf.get(ref.deliveryId, ref.channelId);
      if (row === undefined || row.state !== 'pending' || row.attempts !== attempts) return false;
      if (row.epoch !== epoch) setEpoch.run(epoch, ref.deliveryId, ref.channelId);
      return true;
    },
    recordAttempt(ref: DeliveryRef, a: DeliveryAttempt): void {
      const { state, attempts, firstTriedAt, nextDueAt, lastResult } = a;
      record.run(state, attempts, firstTriedAt, nextDueAt, lastResult, ref.deliveryId, ref.channelId);
    },
  };
}

export function mailOperations(db: Database) {
  const add = db.prepare(
    insertInto(
      'mails',
      ['id', 'account_id', 'kind', 'subject', 'send_after', 'created_at'],
      'on conflict (id) do nothing',
    ),
  );
  const addLine = db.prepare(`
    insert into mail_lines (mail_id, position, line)
    values (?1, (select coalesce(max(position), 0) + 1 from mail_lines where mail_id = ?1), ?2)`);
  const sent = db.prepare('update mails set sent_at = ? where id = ? and sent_at is null');
  return {
    addMail(m: MailLine): void {
      add.run(m.id, m.accountId, m.kind, m.subject, m.sendAfter, m.createdAt);
      addLine.run(m.id, m.line);
    },
    markSent(mailId: string, now: number): void {
      sent.run(now, mailId);
    },
  };
}
