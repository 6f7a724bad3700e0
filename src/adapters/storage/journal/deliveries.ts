/** What a commit does to a delivery. What each write means: `actors/channel/ports/writes.ts`. */
import type { Effects } from './effect.ts';

export const deliveryEffects: Effects<'insertDelivery' | 'claimDelivery' | 'recordAttempt'> = {
  insertDelivery: ({ delivery: item }) => ({ does: 'insert', to: 'deliveries', item }),

  claimDelivery: ({ deliveryId: id, attempts, claims }) => ({
    does: 'claim',
    to: 'deliveries',
    id,
    rule: { when: { state: ['pending'], attempts: [attempts] }, set: { claims } },
  }),

  /** Only while pending, and never back to an earlier attempt: a late result must not revive an erased payload. */
  recordAttempt({ deliveryId: id, attempt }) {
    const { state, attempts, firstTriedAt, nextDueAt, lastResult, attemptLog } = attempt;
    const isPending = state === 'pending';
    return {
      does: 'update',
      to: 'deliveries',
      id,
      rule: {
        when: { state: ['pending'] },
        ...(isPending ? { atMost: { attempts } } : {}),
        // [spec: Payload storage] The payload goes in the write that ends the delivery.
        set: { state, claims: 0, nextDueAt, lastResult, attemptLog, ...(isPending ? {} : { payload: null }) },
        max: { attempts },
        min: { firstTriedAt },
      },
    };
  },
};
