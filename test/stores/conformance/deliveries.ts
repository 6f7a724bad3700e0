import { describe, expect, test } from '@jest/globals';
import type { DeliveryAttempt, Write } from '../../../src/storage/journal/writes.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { applied, put, putDeliveries, refused } from './channel-state.ts';
import { aDelivery, noon, sealedBytes } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';
import { pendingOf } from './views.ts';

const secondTry: DeliveryAttempt = {
  state: 'pending',
  attempts: 1,
  firstTriedAt: noon + 1,
  nextDueAt: noon + 30_000,
  lastResult: '503',
  attemptLog: `${noon + 1} 12 503 status`,
};

function claim(deliveryId: string, attempts: number, claims = 1): Write {
  return { write: 'claimDelivery', deliveryId, attempts, claims };
}

async function pending(store: OpenJournal, { channelId, id }: Delivery) {
  const found = await store.channelState.pendingDeliveries(channelId, 100);
  return found.find((delivery) => delivery.id === id) ?? null;
}

export function describeDeliveries(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: deliveries`, () => {
    const store = withStore(open);

    const payloadOf = (delivery: Delivery) =>
      store.current.channelState.deliveryPayload(delivery.channelId, delivery.id);

    test('stored deliveries are found by id, whatever their state, within their channel', async () => {
      const { channelState } = store.current;
      const [pendingOne, ended, foreign] = [newId(), newId(), newId()];
      const channelId = newId();
      await putDeliveries(
        store.current,
        aDelivery(channelId, { id: pendingOne }),
        aDelivery(channelId, { id: ended, state: 'delivered', payload: null }),
      );
      await putDeliveries(store.current, aDelivery(newId(), { id: foreign }));
      const found = await channelState.findDeliveries(channelId, [pendingOne, ended, foreign, newId()]);
      expect(found.toSorted()).toEqual([pendingOne, ended].toSorted());
    });

    test('one of an endpoint belongs to the owner of the endpoint, which has not claimed it', async () => {
      const { channelState } = store.current;
      const own = aDelivery(newId());
      const owner = `${own.channelId}:${newId()}`;
      const copy = aDelivery(owner, { epoch: 0 });
      const writes: Write[] = [
        { write: 'insertDelivery', delivery: own },
        { write: 'insertCopy', delivery: copy },
      ];
      expect(await channelState.commit(own.channelId, 7, writes)).toEqual([applied, applied]);
      expect(await channelState.commit(own.channelId, 7, writes)).toEqual([refused, refused]);
      expect(await pending(store.current, own)).toEqual(pendingOf(own));
      expect(await pending(store.current, copy)).toEqual(pendingOf(copy));
      expect(await payloadOf(copy)).toEqual(copy.payload);
      const loaded = await channelState.load(owner, 1, noon, 9);
      expect(loaded.deliveries.map(({ id }) => id)).toEqual([copy.id]);
      expect(await channelState.commit(owner, 1, [claim(copy.id, copy.attempts)])).toEqual([applied]);
      const ofOwn = await channelState.load(own.channelId, 8, noon, 9);
      expect(ofOwn.deliveries.map(({ id }) => id)).toEqual([own.id]);
    });

    test('a redelivered event finds its delivery: no effect, and the result says so', async () => {
      const { channelState } = store.current;
      const first = aDelivery(newId());
      await putDeliveries(store.current, first);
      const again: Write = {
        write: 'insertDelivery',
        delivery: { ...first, nextDueAt: noon + 99, payload: sealedBytes('other') },
      };
      expect(await channelState.commit(first.channelId, 1, [again])).toEqual([refused]);
      expect(await pending(store.current, first)).toEqual(pendingOf(first));
      expect(Buffer.from((await payloadOf(first)) ?? [])).toEqual(Buffer.from(first.payload ?? []));
    });

    test('an event that was delivered is not delivered again when upstream repeats it', async () => {
      const { channelState } = store.current;
      const first = aDelivery(newId());
      await putDeliveries(store.current, first);
      await put(store.current, first.channelId, {
        write: 'recordAttempt',
        deliveryId: first.id,
        attempt: { ...secondTry, state: 'delivered' },
      });
      expect(
        await channelState.commit(first.channelId, 1, [{ write: 'insertDelivery', delivery: first }]),
      ).toEqual([refused]);
      expect(await pending(store.current, first)).toBeNull();
    });

    test('an attempt is claimed while the delivery is pending with that many attempts, in its channel only', async () => {
      const { channelState } = store.current;
      const delivery = aDelivery(newId(), { attempts: 2 });
      const done = aDelivery(delivery.channelId, { state: 'delivered', attempts: 2 });
      await putDeliveries(store.current, delivery, done);
      const writes = [claim(delivery.id, 1), claim(delivery.id, 2), claim(done.id, 2), claim(newId(), 0)];
      const results = await channelState.commit(delivery.channelId, 1, writes);
      expect(results).toEqual([refused, applied, refused, refused]);
      expect(await channelState.commit(newId(), 1, [claim(delivery.id, 2)])).toEqual([refused]);
    });

    test('a claim under a lower epoch than the stored one is fenced', async () => {
      const { channelState } = store.current;
      const delivery = aDelivery(newId());
      await putDeliveries(store.current, delivery);
      const first = claim(delivery.id, 0);
      expect(await channelState.commit(delivery.channelId, 3, [first])).toEqual([applied]);
      await expect(channelState.commit(delivery.channelId, 2, [first])).rejects.toThrow(FencedError);
      await channelState.load(delivery.channelId, 4, noon, 1);
      await expect(channelState.commit(delivery.channelId, 3, [first])).rejects.toThrow(FencedError);
      expect(await channelState.commit(delivery.channelId, 4, [first])).toEqual([applied]);
    });

    test('a claim is counted in the store, and an outcome resets the count', async () => {
      const { channelState } = store.current;
      const delivery = aDelivery(newId());
      const { id: deliveryId, channelId } = delivery;
      await putDeliveries(store.current, delivery);
      const claims = async () => (await pending(store.current, delivery))?.claims;
      expect(await claims()).toBe(0);
      await put(store.current, channelId, claim(deliveryId, 0, 2));
      expect(await claims()).toBe(2);
      await channelState.load(channelId, 2, noon, 1);
      expect(await claims()).toBe(2);
      await put(store.current, channelId, { write: 'recordAttempt', deliveryId, attempt: secondTry });
      expect(await claims()).toBe(0);
    });

    test('a failed attempt is stored and the delivery is due again, with its payload', async () => {
      const delivery = aDelivery(newId());
      await putDeliveries(store.current, delivery);
      await put(store.current, delivery.channelId, {
        write: 'recordAttempt',
        deliveryId: delivery.id,
        attempt: secondTry,
      });
      const { attempts, firstTriedAt, nextDueAt, attemptLog } = secondTry;
      expect(await pending(store.current, delivery)).toEqual({
        ...pendingOf(delivery),
        attempts,
        firstTriedAt,
        nextDueAt,
        attemptLog,
      });
      expect(await payloadOf(delivery)).not.toBeNull();
    });

    test.each(['delivered', 'failed'] as const)(
      '%s erases the payload and ends the delivery',
      async (state) => {
        const delivery = aDelivery(newId());
        await putDeliveries(store.current, delivery);
        await put(
          store.current,
          delivery.channelId,
          { write: 'recordAttempt', deliveryId: delivery.id, attempt: { ...secondTry, state } },
          { write: 'recordAttempt', deliveryId: delivery.id, attempt: { ...secondTry, attempts: 2 } },
        );
        expect(await payloadOf(delivery)).toBeNull();
        expect(await pending(store.current, delivery)).toBeNull();
      },
    );

    test('failed and kept: the delivery has ended, and its payload stays and counts, however often it is reported', async () => {
      const { channelState } = store.current;
      const [delivery, other] = [aDelivery(newId()), aDelivery(newId())];
      const { channelId, id: deliveryId } = delivery;
      await putDeliveries(store.current, delivery, aDelivery(channelId), other);
      const kept: DeliveryAttempt = {
        ...secondTry,
        state: 'failed',
        kept: { keptSince: noon + 5, keptBytes: 29 },
        attemptLog: '$x',
      };
      const write: Write = { write: 'recordAttempt', deliveryId, attempt: kept };
      await put(store.current, channelId, write, write);
      await put(store.current, channelId, { ...write, attempt: { ...secondTry, attempts: 2 } });
      expect(await pending(store.current, delivery)).toBeNull();
      expect(await channelState.keptBytes(channelId)).toBe(29);
      expect(await channelState.keptBytes(other.channelId)).toBe(0);
    });

    test('a late result of an earlier attempt does not undo a later one', async () => {
      const delivery = aDelivery(newId());
      await putDeliveries(store.current, delivery);
      const attempt = (over: Partial<DeliveryAttempt>): Write => ({
        write: 'recordAttempt',
        deliveryId: delivery.id,
        attempt: { ...secondTry, ...over },
      });
      const later = { attempts: 2, nextDueAt: noon + 90_000 };
      await put(store.current, delivery.channelId, attempt(later), attempt({}));
      expect(await pending(store.current, delivery)).toMatchObject(later);
    });

    test('the outcome of an attempt is accepted for its own channel only', async () => {
      const delivery = aDelivery(newId());
      await putDeliveries(store.current, delivery);
      await put(store.current, newId(), {
        write: 'recordAttempt',
        deliveryId: delivery.id,
        attempt: { ...secondTry, state: 'delivered' },
      });
      expect(await pending(store.current, delivery)).toEqual(pendingOf(delivery));
    });
  });
}
