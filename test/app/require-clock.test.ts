/** [faults: 457] */
import { expect, test } from '@jest/globals';
import { requireClock } from '../../src/app/require-clock.ts';
import { dayMs } from '../../src/kernel/clock.ts';

const ofServer = Date.UTC(2026, 5, 1);
const start = (aheadMs: number, said: number | null = ofServer): Promise<void> =>
  requireClock({ serverTime: async () => said }, { wall: () => ofServer + aheadMs });

test.each([dayMs + 1, -dayMs - 1])(
  'a node whose clock is off by %i ms does not start, and says why',
  async (aheadMs) => {
    await expect(start(aheadMs)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        /^the clock of this machine says 2026-\S+Z, and MongoDB's 2026-06-01T00:00:00\.000Z: set the one that is wrong, then start again$/,
      ),
    });
  },
);

test.each([dayMs, -dayMs, 0])('one that is off by %i ms starts', async (aheadMs) => {
  await expect(start(aheadMs)).resolves.toBeUndefined();
});

test('without a server that says the time it starts', async () => {
  await expect(start(99 * dayMs, null)).resolves.toBeUndefined();
});
