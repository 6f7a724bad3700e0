import { describe, expect, test } from '@jest/globals';
import { countNames } from '../../../src/features/deliveries/hours.ts';
import type { DeliveryHour } from '../../../src/features/deliveries/hours.ts';
import { hourMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aDeliveryHour, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describeDeliveryHours(name: string, open: Open): void {
  describe(`${name}: counts of deliveries by the hour`, () => {
    const store = withStore(open);
    const since = (accountId: string, from = 0) => store.current.stores.deliveryHours.since(accountId, from);
    const add = (...hours: DeliveryHour[]) => store.current.stores.deliveryHours.add(hours);

    test('later counts of an hour are added to it', async () => {
      const accountId = newId();
      const first = aDeliveryHour(accountId);
      const counts = Object.fromEntries(countNames.map((count, n) => [count, n + 1]));
      await add(first);
      await add({ ...first, ...counts }, aDeliveryHour(newId()));
      const sums = Object.fromEntries(countNames.map((count, n) => [count, first[count] + n + 1]));
      expect(await since(accountId)).toEqual([{ ...first, ...sums }]);
    });

    test("one account's hours from a time on, the oldest first", async () => {
      const accountId = newId();
      const hours = [2, 0, 1].map((n) => aDeliveryHour(accountId, { at: noon + n * hourMs, givenUp: n }));
      await add(...hours, aDeliveryHour(newId(), { at: noon + hourMs }));
      const [last, first, second] = [hours[0]!, hours[1]!, hours[2]!];
      expect(await since(accountId)).toEqual([first, second, last]);
      expect(await since(accountId, noon + hourMs)).toEqual([second, last]);
      expect(await since(newId())).toEqual([]);
    });

    test("all accounts' hours from a time on, up to a limit", async () => {
      const { deliveryHours } = store.current.stores;
      const from = noon + 1_000 * hourMs; // later than any other test's hours
      const [one, other] = [newId(), newId()];
      await add(aDeliveryHour(one, { at: from - hourMs }));
      await add(aDeliveryHour(one, { at: from }), aDeliveryHour(other, { at: from + hourMs }));
      const found = await deliveryHours.givenUpOfAll(from, 10);
      expect(found.map(({ accountId, at }) => [accountId, at])).toEqual([
        [one, from],
        [other, from + hourMs],
      ]);
      expect(await deliveryHours.givenUpOfAll(from, 1)).toHaveLength(1);
    });

    test('hours before a time are erased', async () => {
      const accountId = newId();
      const [old, kept] = [aDeliveryHour(accountId, { at: noon - 1 }), aDeliveryHour(accountId)];
      await add(old, kept);
      expect(await store.current.stores.deliveryHours.dropOlder(noon, AbortSignal.abort())).toBe(0);
      expect(await store.current.stores.deliveryHours.dropOlder(noon)).toBeGreaterThanOrEqual(1);
      expect(await since(accountId)).toEqual([kept]);
      expect(await store.current.stores.deliveryHours.dropOlder(noon)).toBe(0);
    });

    test('adding nothing has no effect', async () => {
      await expect(add()).resolves.toBeUndefined();
    });
  });
}
