/** Effects of a commit on a delivery. `actors/channel/ports/writes.ts` says what each write means. */
import type { Effects } from './effect.ts';

const unkept = { keptSince: null, keptBytes: null };

export const deliveryEffects: Effects<
  'insertDelivery' | 'claimDelivery' | 'recordAttempt' | 'reviveDelivery'
> = {
  insertDelivery: ({ delivery: item }) => ({ does: 'insert', to: 'deliveries', item }),

  claimDelivery: ({ deliveryId: id, attempts, claims }) => ({
    does: 'claim',
    to: 'deliveries',
    id,
    rule: { when: { state: ['pending'], attempts: [attempts] }, set: { claims } },
  }),

  reviveDelivery: ({ deliveryId: id, keptSince, at }) => ({
    does: 'claim',
    to: 'deliveries',
    id,
    rule: {
      when: { state: ['failed'], keptSince: [keptSince] },
      set: { state: 'pending', attempts: 0, claims: 0, firstTriedAt: null, nextDueAt: at, ...unkept },
    },
  }),

  /**
   * Applies only to a pending delivery, and never returns it to an earlier attempt; a failure from before a replay does not apply to the
   * replayed delivery. A late result must not revive an erased payload.
   */
  recordAttempt({ deliveryId: id, attempt }) {
    const { state, attempts, firstTriedAt, nextDueAt, lastResult, attemptLog } = attempt;
    const isPending = state === 'pending';
    const ended = attempt.kept ?? { payload: null };
    return {
      does: 'update',
      to: 'deliveries',
      id,
      rule: {
        when: { state: ['pending'], ...(state === 'failed' ? { attempts: [attempts - 1, attempts] } : {}) },
        ...(isPending ? { atMost: { attempts } } : {}),
        // [spec: Payload storage] The write that ends the delivery also erases its payload.
        set: { state, claims: 0, nextDueAt, lastResult, attemptLog, ...(isPending ? {} : ended) },
        max: { attempts },
        min: { firstTriedAt },
      },
    };
  },
};
