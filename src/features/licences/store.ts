/** Licences that operators grant or the payment provider reports. */
import { billed } from './billing.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { SubscriptionStore } from './port.ts';
import { newestFirst } from '../../kernel/paging.ts';
import { insertNew } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { subscriptions } from '../../storage/entities/subscriptions.ts';

export function subscriptionStore(recordsOf: RecordsOf): SubscriptionStore {
  const licences = recordsOf(subscriptions);
  const byId = (id: string): Promise<Subscription | null> => licences.one({ id });

  async function byExternalId(externalId: string): Promise<Subscription | null> {
    const found = await licences.list({ by: 'byExternalId', equal: { externalId }, limit: null });
    return found.toSorted(newestFirst)[0] ?? null;
  }

  /** Writes `next` and returns true, unless the licence has changed since `known` was read. */
  async function replaceBilled(known: Subscription | null, next: Subscription): Promise<boolean> {
    if (known === null) return licences.insert(next);
    const { id, ...set } = next;
    return (await licences.patch({ which: { id, billed: known.billed }, change: { set } })) !== null;
  }

  return {
    byId,
    byExternalId,
    insert: (licence) => insertNew(licences, licence),
    list: (accountId) =>
      licences.list({ by: 'ofAccount', equal: { accountId }, isDescending: true, limit: null }),
    async update(id, patch) {
      const isEmpty = Object.values(patch).every((value) => value === undefined);
      if (!isEmpty) return licences.patchBoth({ which: { id }, change: { set: patch } });
      const known = await byId(id);
      return known === null ? null : { before: known, after: known };
    },
    ending: ({ source, after, until, limit }) =>
      licences.list({
        by: 'ending',
        equal: { source },
        range: { on: 'expiresAt', upTo: until },
        after: [after.expiresAt, after.id],
        limit,
      }),
    async lapse(id, expiresAt) {
      const which = { id, status: 'active', expiresAt } as const;
      return (await licences.patch({ which, change: { set: { status: 'expired' } } })) !== null;
    },
    /** Every lost race was won by another event, so the loop ends with the events. */
    async bill(event, now) {
      for (;;) {
        const known = await byExternalId(event.externalId);
        const result = billed(known, event, now);
        if (result.outcome !== 'applied') return result;
        if (await replaceBilled(known, result.subscription)) return result;
      }
    },
  };
}
