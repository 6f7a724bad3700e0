/** [portal: how it looks; faults: 405] Today on Home is the day of the person. */
import { expect, test } from '@jest/globals';
import { openHouse } from '../../http/house.ts';
import { asOwner, caller, now } from '../../http/support.ts';
import { hourMs } from '../../../src/kernel/clock.ts';

test('it begins at midnight there, or with the first whole hour that is counted after it', async () => {
  const house = await openHouse();
  const service = await house.run();
  const taken = { accountId: caller.accountId, attempt: 1, latencyMs: 5 };
  // Noon is 17:45 in Kathmandu and 5:00 in Lima.
  for (const hoursAgo of [1, 8, 13, 17, 18])
    house.world.deliveryTally.acknowledged(taken, now - hoursAgo * hourMs);
  const todayIn = async (zone: string): Promise<string[]> => {
    const headers = { cookie: `${asOwner.cookie}; trunkline_zone=${zone}` };
    const { text } = await service.ask('/portal', { headers });
    return /Delivered today<\/dt><dd><b[^>]*>(\d+)<\/b><span>(since [\d:]+)</.exec(text)?.slice(1) ?? [];
  };
  const found = [await todayIn('UTC'), await todayIn('Asia/Kathmandu'), await todayIn('America/Lima')];
  await service.stop();
  await house.close();
  expect(found).toEqual([
    ['2', 'since 00:00'],
    ['4', 'since 00:45'],
    ['1', 'since 00:00'],
  ]);
});
