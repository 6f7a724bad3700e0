/** Licences that operators grant or the payment provider reports. */
import { billed } from './billing.ts';
import type { Billed, BillingEvent } from './billing.ts';
import type { Source, Subscription, SubscriptionStatus } from '../../rules/licences/subscription.ts';
import { newestFirst } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { readPage } from '../../storage/records.ts';
import type { Records, RecordsOf } from '../../storage/records.ts';
import { subscriptions } from '../../storage/entities/subscriptions.ts';

export function subscriptionStore(recordsOf: RecordsOf) {
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
    /** False if its id is taken. */
    insert: (licence: Subscription): Promise<boolean> => licences.insert(licence),
    /** The account's licences among these ids, in no order. */
    among: (accountId: string, ids: readonly string[]): Promise<Subscription[]> =>
      licences.some([...new Set(ids)], { accountId }),
    /** All licences of the account, newest first. */
    list: (accountId: string): Promise<Subscription[]> =>
      licences.list({ by: 'ofAccount', equal: { accountId }, isDescending: true, limit: null }),
    /** As `list`, page by page. */
    page: (accountId: string, page: PageRequest): Promise<Page<Subscription>> =>
      readPage(licences, { by: 'ofAccount', equal: { accountId }, isDescending: true }, page),
    /** Number of the account's licences. */
    countOf: (accountId: string): Promise<number> =>
      licences.count({ by: 'ofAccount', equal: { accountId }, limit: null }),
    /** The licence before and after this very write; null if there is no such licence, or it is not as `read` any more. */
    async update(
      id: string,
      patch: Partial<Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>>,
      read: Partial<Pick<Subscription, 'status' | 'expiresAt'>> = {},
    ): Promise<{ before: Subscription; after: Subscription } | null> {
      const isEmpty = Object.values(patch).every((value) => value === undefined);
      if (!isEmpty) return licences.patchBoth({ which: { id, ...read }, change: { set: patch } });
      const known = await byId(id);
      return known === null ? null : { before: known, after: known };
    },
    ...endsOf(licences),

    /**
     * Applies `billed` to the subscription with the event's external id, atomically: concurrent events, also on several nodes, are
     * serialised in some order. Every lost race was won by another event, so the loop ends with the events.
     */
    async bill(event: BillingEvent, now: number): Promise<Billed> {
      for (;;) {
        const known = await byExternalId(event.externalId);
        const result = billed(known, event, now);
        if (result.outcome !== 'applied') return result;
        if (await replaceBilled(known, result.subscription)) return result;
      }
    },
  };
}

function endsOf(licences: Records<Subscription>) {
  return {
    /** Licences stored as active that end at `until` (ms) or before, earliest end first, the first `limit` after `after`. */
    ending: ({
      source,
      after,
      until,
      limit,
    }: {
      source: Source;
      after: EndingPlace;
      until: number;
      limit: number;
    }): Promise<Subscription[]> =>
      licences.list({
        by: 'ending',
        equal: { source },
        range: { on: 'expiresAt', upTo: until },
        after: [after.expiresAt, after.id],
        limit,
      }),
    /** The account's licences stored as active that end at `until` (ms) or before, earliest end first. */
    endingOf: (accountId: string, until: number, limit: number): Promise<Subscription[]> =>
      licences.list({
        by: 'endingOfAccount',
        equal: { accountId },
        range: { on: 'expiresAt', upTo: until },
        limit,
      }),
    /** The account's licences with this stored status, the latest end first. */
    withStatus: (accountId: string, status: SubscriptionStatus, limit: number): Promise<Subscription[]> =>
      licences.list({ by: 'byStatus', equal: { accountId, status }, isDescending: true, limit }),
    /** Sets an active licence to expired. False, and nothing changes, if its end is no longer `expiresAt`. */
    async lapse(id: string, expiresAt: number): Promise<boolean> {
      const which = { id, status: 'active', expiresAt } as const;
      return (await licences.patch({ which, change: { set: { status: 'expired' } } })) !== null;
    },
  };
}

/** Position in the order of `ending`: by end (ms), then by id. */
export type EndingPlace = { expiresAt: number; id: string };
