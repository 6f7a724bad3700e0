/** [faults: 450] */
import { expect, test } from '@jest/globals';
import { DueWorkSweep } from '../../src/app/due-work-sweep.ts';
import { newId } from '../../src/kernel/ids.ts';
import { aDelivery } from '../stores/conformance/samples.ts';
import { sharedService } from '../features/support/shared-service.ts';

const service = sharedService();

test('channels whose work stays due, because their receivers fail, keep no other channel from being woken', async () => {
  const { stores, clock, channelState } = service;
  const channels = Array.from({ length: 450 }, () => newId()).toSorted();
  for (const channelId of channels) {
    const delivery = aDelivery(channelId, { nextDueAt: clock.now() });
    await channelState.commit(channelId, 1, [{ write: 'insertDelivery', delivery }]);
  }
  const woken: string[] = [];
  const dueWork = new DueWorkSweep({
    stores,
    clock,
    router: { tell: (channelId) => void woken.push(channelId) },
  });
  const wokenBy = async (): Promise<string[]> => {
    woken.length = 0;
    await dueWork.sweep();
    return [...woken];
  };
  expect(await wokenBy()).toEqual(channels.slice(0, 200));
  expect(await wokenBy()).toEqual(channels.slice(200, 400));
  expect(await wokenBy()).toEqual(channels.slice(400));
  expect(await wokenBy()).toEqual(channels.slice(0, 200));
});
