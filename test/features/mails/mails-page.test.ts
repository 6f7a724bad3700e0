/** [faults: 409] The page of e-mails stays small, whatever the number of their lines. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { perPage } from '../../../src/pages/list/paging.tsx';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, caller, now } from '../../http/support.ts';
import { aMail } from '../../stores/conformance/samples.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('of an e-mail with a hundred lines it shows the first, and says how many are left', async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `event ${n} failed: ${'x'.repeat(100)}`);
  const mail = aMail({
    accountId: caller.accountId,
    subject: 'Events could not be delivered',
    lines,
    sendAfter: now,
    createdAt: now,
  });
  for (let n = 0; n < 50; n += 1) await house.world.stores.mails.add({ ...mail, id: newId() });
  const { ask, stop } = await house.run({});
  const { text } = await ask('/portal/mails', { headers: asOwner });
  await stop();
  expect(text.split('Events could not be delivered')).toHaveLength(perPage + 1);
  expect([text.includes('event 19 failed'), text.includes('event 20 failed')]).toEqual([true, false]);
  expect(text).toContain('And 80 more lines.');
});
