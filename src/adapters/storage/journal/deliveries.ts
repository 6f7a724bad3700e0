/** What a commit does to a delivery. What each write means: `actors/channel/ports/writes.ts`. */
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
   * Only while pending, never back to an earlier attempt, and of a delivery that is tried anew no failure of before: a late result must
   * not revive an erased payload.
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
        // [spec: Payload storage] The payload goes in the write that ends the delivery.
        set: { state, claims: 0, nextDueAt, lastResult, attemptLog, ...(isPending ? {} : ended) },
        max: { attempts },
        min: { firstTriedAt },
      },
    };
  },
};
