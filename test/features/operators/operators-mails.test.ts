/** [operator-interface §3; incidents: Mails do not arrive] The console's page of mails. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOperator, caller, now } from '../../http/support.ts';
import { aMail } from '../../stores/conformance/samples.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ sendsMail: true });
});
afterAll(() => house.close());

const mail = aMail({ accountId: caller.accountId, sendAfter: now, createdAt: now });

test('a mail that was given up is not shown as sent, and says why', async () => {
  const { mails } = house.stores;
  const words = ['sent', 'given up', 'waits'];
  for (const [n, subject] of words.entries()) await mails.add({ ...mail, id: `mail-${n}`, subject });
  await mails.markSent('mail-0', now);
  await mails.giveUp('mail-1', now, 'refused');
  const { ask, stop } = await house.run();
  const { text } = await ask('/operators/mails', { headers: asOperator });
  await stop();
  const cells = [...text.matchAll(/<tr role="row">(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell.replaceAll(/<[^>]+>/g, '').trim(),
    ),
  );
  const shown = cells.flatMap(([, subject, , , sent]) => (subject === undefined ? [] : [[subject, sent]]));
  expect(Object.fromEntries(shown)).toEqual({
    sent: '1 Sep, 12:00:00',
    'given up': 'given up refused 1 Sep, 12:00:00',
    waits: 'not yet next try 1 Sep, 12:00:00',
  });
});
