/** [faults: 457] */
import { expect, test } from '@jest/globals';
import { requireClock } from '../../src/app/require-clock.ts';
import { dayMs } from '../../src/kernel/clock.ts';

const ofServer = Date.UTC(2026, 5, 1);
const start = (aheadMs: number, said: number | null = ofServer): Promise<void> =>
  requireClock({ serverTime: async () => said }, { wall: () => ofServer + aheadMs });

test('a node whose clock is more than a day behind does not start, and says why', async () => {
  await expect(start(-dayMs - 1)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(
      /^the clock of this machine says 2026-05-30T23:59:59\.999Z, and MongoDB's 2026-06-01T00:00:00\.000Z: set the one that is wrong, then start again$/,
    ),
  });
});

test.each([-dayMs, 0, 99 * dayMs])('one that is ahead by %i ms starts', async (aheadMs) => {
  await expect(start(aheadMs)).resolves.toBeUndefined();
});

test('without a server that says the time it starts', async () => {
  await expect(start(99 * dayMs, null)).resolves.toBeUndefined();
});
