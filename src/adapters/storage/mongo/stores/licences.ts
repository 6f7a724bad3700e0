/** Licences: what operators grant, and what the payment provider says of them. */
import { billed } from '../../../../domain/licences/billing.ts';
import type { Subscription } from '../../../../domain/licences/subscription.ts';
import type { SubscriptionStore } from '../../../../use-cases/ports/licences.ts';
import type { MongoContext } from '../collections.ts';
import { stored, subscriptionOf } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';
import { insertOnce } from './insert-once.ts';

/**
 * Whether it was still as it was read; then it is as `next` says. An attempt that was applied although its answer was lost finds
 * itself overtaken: the caller reads again and sees its own event.
 */
async function replaceBilled(
  { subscriptions, retryPolicy }: MongoContext,
  known: Subscription | null,
  next: Subscription,
): Promise<boolean> {
  if (known === null) {
    try {
      await retryPolicy.run('insert a billed licence', () => subscriptions.insertOne(stored(next)));
      return true;
    } catch (error) {
      if (error instanceof DuplicateKey) return false;
      throw error;
    }
  }
  const { status, tier, autoRenew, expiresAt, billed: mark } = next;
  const { matchedCount } = await retryPolicy.run('bill a licence', () =>
    subscriptions.updateOne(
      { _id: known.id, ...billedAs(known) },
      {
        $set: {
          status,
          tier,
          autoRenew,
          ...(expiresAt === null ? {} : { expiresAt }),
          ...(mark === null ? {} : { billed: mark }),
        },
        ...(expiresAt === null ? { $unset: { expiresAt: '' } } : {}),
      },
    ),
  );
  return matchedCount === 1;
}

function billedAs({ billed: mark }: Subscription) {
  if (mark === null) return { billed: { $exists: false } };
  return { 'billed.at': mark.at, 'billed.change': mark.change, 'billed.eventIds': mark.eventIds };
}

/** What the clock looks for, and does. */
function byClock({ subscriptions, retryPolicy }: MongoContext): Pick<SubscriptionStore, 'ending' | 'lapse'> {
  return {
    async ending({ source, after: { expiresAt, id }, until, limit }) {
      const found = await retryPolicy.run('list licences that end', () =>
        subscriptions
          .find({
            status: 'active',
            source,
            expiresAt: { $gte: expiresAt, $lte: until },
            $or: [{ expiresAt: { $gt: expiresAt } }, { _id: { $gt: id } }],
          })
          .sort({ expiresAt: 1, _id: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(subscriptionOf);
    },
    async lapse(subscriptionId, expiresAt) {
      return retryPolicy.run('end a licence', async (attempt) => {
        const { matchedCount } = await subscriptions.updateOne(
          { _id: subscriptionId, status: 'active', expiresAt },
          { $set: { status: 'expired' } },
        );
        if (matchedCount === 1 || attempt === 0) return matchedCount === 1;
        // An attempt whose answer was lost may have ended it.
        return (await subscriptions.findOne({ _id: subscriptionId, expiresAt }))?.status === 'expired';
      });
    },
  };
}

export function subscriptionStore(context: MongoContext): SubscriptionStore {
  const { subscriptions, retryPolicy } = context;
  async function byId(subscriptionId: string): Promise<Subscription | null> {
    const found = await retryPolicy.run('read a licence', () =>
      subscriptions.findOne({ _id: subscriptionId }),
    );
    return found === null ? null : subscriptionOf(found);
  }

  async function byExternalId(externalId: string): Promise<Subscription | null> {
    const found = await retryPolicy.run('read a licence', () =>
      subscriptions.findOne({ externalId }, { sort: { createdAt: -1, _id: -1 } }),
    );
    return found === null ? null : subscriptionOf(found);
  }

  return {
    byId,
    byExternalId,
    insert: (subscription) =>
      insertOnce(retryPolicy, 'insert a licence', () => subscriptions.insertOne(stored(subscription))),
    async list(accountId) {
      const found = await retryPolicy.run('list licences', () =>
        subscriptions.find({ accountId }).sort({ createdAt: -1, _id: -1 }).toArray(),
      );
      return found.map(subscriptionOf);
    },
    ...byClock(context),
    /** Each turn that is lost was won by another event: the turns end with the events. */
    async bill(event, now) {
      for (;;) {
        const known = await byExternalId(event.externalId);
        const result = billed(known, event, now);
        if (result.outcome !== 'applied') return result;
        if (await replaceBilled(context, known, result.subscription)) return result;
      }
    },
    async update(subscriptionId, { status, tier, autoRenew, expiresAt }) {
      const set = { status, tier, autoRenew, expiresAt: expiresAt ?? undefined };
      const hasSet = Object.values(set).some((value) => value !== undefined);
      if (!hasSet && expiresAt !== null) return byId(subscriptionId);
      const found = await retryPolicy.run('update a licence', () =>
        subscriptions.findOneAndUpdate(
          { _id: subscriptionId },
          { ...(hasSet ? { $set: set } : {}), ...(expiresAt === null ? { $unset: { expiresAt: '' } } : {}) },
          { returnDocument: 'after' },
        ),
      );
      return found === null ? null : subscriptionOf(found);
    },
  };
}
