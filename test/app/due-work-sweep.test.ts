/** [faults: 450, 555] */
import { expect, test } from '@jest/globals';
import { DueWorkSweep } from '../../src/app/due-work-sweep.ts';
import { hourMs } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { aDelivery } from '../stores/conformance/samples.ts';
import { sharedService } from '../features/support/shared-service.ts';

const service = sharedService();

/** Stores a delivery in each channel, due that many ms from now; returns a sweep, which resolves with the channels that it woke. */
async function sweepOver(channels: readonly string[], inMs: number): Promise<() => Promise<string[]>> {
  const { stores, clock, channelState } = service;
  for (const channelId of channels) {
    const delivery = aDelivery(channelId, { nextDueAt: clock.now() + inMs });
    await channelState.commit(channelId, 1, [{ write: 'insertDelivery', delivery }]);
  }
  const woken: string[] = [];
  const router = { tell: (channelId: string) => void woken.push(channelId) };
  const dueWork = new DueWorkSweep({ stores, clock, router });
  return async () => {
    woken.length = 0;
    await dueWork.sweep();
    return [...woken];
  };
}

test('channels whose work stays due, because their receivers fail, keep no other channel from being woken', async () => {
  const channels = Array.from({ length: 450 }, () => newId()).toSorted();
  const wokenBy = await sweepOver(channels, 0);
  expect(await wokenBy()).toEqual(channels.slice(0, 200));
  expect(await wokenBy()).toEqual(channels.slice(200, 400));
  expect(await wokenBy()).toEqual(channels.slice(400));
  expect(await wokenBy()).toEqual(channels.slice(0, 200));
});

test('after a start, open work that is dated ahead is looked at once: an earlier process may have had its clock ahead', async () => {
  const channels = Array.from({ length: 201 }, () => newId()).toSorted();
  const wokenBy = await sweepOver(channels, hourMs);
  const woken: string[] = [];
  // Work of the other test is open, too.
  for (let sweeps = 0; sweeps < 10; sweeps += 1) woken.push(...(await wokenBy()));
  expect(woken.filter((id) => channels.includes(id))).toEqual(channels);
});
