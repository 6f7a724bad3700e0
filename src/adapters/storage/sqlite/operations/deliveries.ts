/** Writes to deliveries. */
import type { DeliveryAttempt } from '../../../../../actors/channel/ports/writes.ts';
import type { Delivery } from '../../../../domain/webhooks/delivery.ts';
import { prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { deliveries } from '../tables.ts';

export type DeliveryRef = {
  channelId: string;
  deliveryId: string;
};

type AttemptClaim = { attempts: number; claims: number };

interface ClaimRow {
  state: string;
  attempts: number;
  claims: number;
  epoch: number;
}

export function deliveryOperations(db: Database) {
  const add = deliveries.insert(db, 'on conflict (id) do nothing');
  const stateOf = db.prepare<ClaimRow>(
    'select state, attempts, claims, epoch from deliveries where id = ? and channel_id = ?',
  );
  const setClaim = db.prepare('update deliveries set epoch = ?, claims = ? where id = ? and channel_id = ?');
  // Only while pending, and never back to an earlier attempt: a late result must not revive an erased payload.
  const record = prepareNamed(
    db,
    `update deliveries set state = :state, attempts = max(attempts, :attempts),
       first_tried_at = coalesce(min(first_tried_at, :firstTriedAt), :firstTriedAt), next_due_at = :nextDueAt,
       claims = 0, last_result = :lastResult, attempt_log = :attemptLog,
       payload = case :state when 'pending' then payload end
     where id = :deliveryId and channel_id = :channelId and state = 'pending'
       and (:state <> 'pending' or attempts <= :attempts)`,
  );

  return {
    epochOfDelivery: (ref: DeliveryRef): number => stateOf.get(ref.deliveryId, ref.channelId)?.epoch ?? 0,
    insertDelivery(channelId: string, epoch: number, delivery: Delivery): boolean {
      return add(delivery, { channelId, epoch }) === 1;
    },
    /** The same claim again changes no page, so that alone in its batch it costs no fsync. */
    claimDelivery(ref: DeliveryRef, epoch: number, { attempts, claims }: AttemptClaim): boolean {
      const row = stateOf.get(ref.deliveryId, ref.channelId);
      if (row === undefined || row.state !== 'pending' || row.attempts !== attempts) return false;
      if (row.epoch !== epoch || row.claims !== claims)
        setClaim.run(epoch, claims, ref.deliveryId, ref.channelId);
      return true;
    },
    recordAttempt(ref: DeliveryRef, attempt: DeliveryAttempt): void {
      const { state, attempts, firstTriedAt, nextDueAt, lastResult, attemptLog } = attempt;
      record.run(ref, { state, attempts, firstTriedAt, nextDueAt, lastResult, attemptLog });
    },
  };
}
