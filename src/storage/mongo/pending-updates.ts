/**
 * Facts that a delivery carries until they are on their messages. A status and its event are two documents, and the event is written first;
 * it also carries the status, so that no caller has to wait for the message. From then on neither can be lost: the channel's next owner
 * applies pending updates before it reads anything. In documents they are the field `owes` of a delivery. [architecture §2.1, persist
 * before act]
 */
import type { Write } from '../journal/writes.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { toEffect } from '../journal/effects.ts';
import type { MongoContext } from './collections.ts';
import type { PendingUpdate } from './documents.ts';
import { makeUpdate } from './rules.ts';

/**
 * Updates of messages by the delivery that carries them: the one of the same message, otherwise the first. Empty if the commit does
 * anything else to a message, or if an update may not be repeated at any later time.
 */
export function pendingUpdatesByDelivery(writes: readonly Write[]): ReadonlyMap<string, PendingUpdate[]> {
  const deliveries = writes.flatMap((write) => (write.write === 'insertDelivery' ? [write.delivery] : []));
  const [first] = deliveries;
  if (first === undefined) return new Map();
  const aboutMessages = writes.filter(isAboutMessage);
  if (!aboutMessages.every(isPendingUpdate)) return new Map();
  const ofMessage = new Map(deliveries.map(({ messageId, id }) => [messageId, id]));
  return groupBy(aboutMessages, ({ messageId }) => ofMessage.get(messageId) ?? first.id);
}

function isAboutMessage(write: Write): boolean {
  return 'messageId' in write || 'message' in write;
}

function isPendingUpdate(write: Write): write is PendingUpdate {
  const effect = toEffect(write);
  return 'messageId' in write && effect.does === 'update' && effect.untilNextClaim !== true;
}

/** More than a queue accepts at a time. */
const maxCarriers = 100_000;

/** Deliveries whose facts this process is applying to messages: they keep their facts, whatever happens to their attempts. */
export class ActiveCarriers {
  readonly #ids = lruCache<true>(maxCarriers);

  begin(deliveryIds: readonly string[]): void {
    for (const id of deliveryIds) this.#ids.set(id, true);
  }

  end(deliveryIds: readonly string[]): void {
    for (const id of deliveryIds) this.#ids.delete(id);
  }

  has(deliveryId: string): boolean {
    return this.#ids.has(deliveryId);
  }
}

/** Documents per step: a channel has as many pending updates as were in flight when its owner vanished. */
const sliceSize = 500;

/** Applies the pending updates of a channel's deliveries to their messages. May run twice, because facts are monotonic. */
export function makeApplyPendingUpdates({ deliveries, retryPolicy, safely, commitQueues }: MongoContext) {
  return async function applyPendingUpdates(channelId: string): Promise<void> {
    for (let found = sliceSize; found === sliceSize;) {
      const carriers = await retryPolicy.run('read pending updates', () =>
        deliveries
          .find({ channelId, owes: { $exists: true } }, { ...safely, projection: { owes: 1 }, hint: 'owing' })
          .limit(sliceSize)
          .toArray(),
      );
      found = carriers.length;
      if (found === 0) return;
      const facts = carriers
        .flatMap(({ owes = [] }) => owes.map(toEffect))
        .flatMap((effect) => (effect.does === 'update' ? makeUpdate(channelId, effect) : []));
      await commitQueues.messages.add({ facts });
      const cleared = { channelId, _id: { $in: carriers.map(({ _id }) => _id) } };
      await retryPolicy.run('clear pending updates', () =>
        deliveries.updateMany(cleared, { $unset: { owes: '' } }),
      );
    }
  };
}
