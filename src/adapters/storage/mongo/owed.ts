/**
 * Facts that a delivery carries until they are on their messages. A status and its event are two documents, and the event comes
 * first: so that the status need not be waited for as well, the event says it too. From then on neither can be lost: who loads
 * the channel pays what is owed before looking at anything. [architecture §2.1, persist before act]
 */
import { LRUCache } from 'lru-cache';
import { writeTags } from '../../../../actors/channel/ports/writes.ts';
import type { Write } from '../../../../actors/channel/ports/writes.ts';
import type { MongoContext } from './collections.ts';
import type { OwedFact } from './documents.ts';
import { messageFact } from './writes/messages.ts';

/**
 * Facts by the delivery that carries them: that of the same message, else the first. None when the messages of the commit are
 * more than told facts, or a fact is not one that may be told again at any later time.
 */
export function owedBy(writes: readonly Write[]): ReadonlyMap<string, OwedFact[]> {
  const owed = new Map<string, OwedFact[]>();
  const deliveries = writes.flatMap((write) => (write.write === 'insertDelivery' ? [write.delivery] : []));
  const [first] = deliveries;
  const told = writes.filter(({ write }) => writeTags[write].target === 'message');
  if (first === undefined || !told.every(isOwedFact)) return owed;
  const ofMessage = new Map(deliveries.map(({ messageId, id }) => [messageId, id]));
  for (const fact of told) {
    const carrier = ofMessage.get(fact.messageId) ?? first.id;
    const others = owed.get(carrier);
    if (others === undefined) owed.set(carrier, [fact]);
    else others.push(fact);
  }
  return owed;
}

/** A deferral or an unknown outcome is true until the next claim only. */
function isOwedFact(write: Write): write is OwedFact {
  return write.write === 'recordAccepted' || write.write === 'recordStatus' || write.write === 'recordFailed';
}

/** More than a queue takes at a time. */
const maxOwing = 100_000;

/** Deliveries whose facts this process is putting on their messages: they go on owing, whatever becomes of their attempts. */
export class Owing {
  readonly #ids = new LRUCache<string, true>({ max: maxOwing });

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

/** Documents at a time: a channel owes what was under way when its owner vanished. */
const sliceSize = 500;

/** Puts on the channel's messages what its deliveries owe them. Twice does no harm: facts are monotonic. */
export function payer({ deliveries, retryPolicy, safely, commitQueues }: MongoContext) {
  return async function pay(channelId: string): Promise<void> {
    for (let found = sliceSize; found === sliceSize;) {
      const owing = await retryPolicy.run('read what is owed', () =>
        deliveries
          .find({ channelId, owes: { $exists: true } }, { ...safely, projection: { owes: 1 }, hint: 'owing' })
          .limit(sliceSize)
          .toArray(),
      );
      found = owing.length;
      if (found === 0) return;
      const facts = owing.flatMap(({ owes = [] }) => owes).map((fact) => messageFact(channelId, fact));
      await commitQueues.messages.add({ facts });
      const paid = { _id: { $in: owing.map(({ _id }) => _id) } };
      await retryPolicy.run('note what is paid', () => deliveries.updateMany(paid, { $unset: { owes: '' } }));
    }
  };
}
