/** [portal: Home] What Home says of an account with more channels than it examines. */
import { expect, test } from '@jest/globals';
import { unknownHealth } from '../../../src/rules/channels/health.ts';
import { noCounts } from '../../../src/features/deliveries/delivery-hour.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { channelOf } from '../../rules/samples.ts';
import { caller, run, someId, useCasesWith, visitor } from '../../http/support.ts';
import { aSubscription } from '../../stores/conformance/samples.ts';

const channel = channelOf('chatapp', {
  id: someId,
  accountId: caller.accountId,
  webhookUrl: 'https://shop.example/hooks',
  webhookEvents: ['message.received'],
});

const next: PagePosition = { createdAt: 1, id: someId };

/** The words of Home if the list of examined channels ends, or goes on after these. */
async function wordsOfHome({
  nextCursor,
  isRefused,
}: {
  nextCursor: PagePosition | null;
  isRefused: boolean;
}) {
  const problems = isRefused
    ? ([{ code: 'token_refused', affects: ['send'], detail: 'Connect again' }] as const)
    : [];
  const subscription = aSubscription(caller.accountId);
  const examined = { channel, subscription, health: unknownHealth(someId), problems };
  const useCases = useCasesWith({
    visitor: async () => visitor,
    homeOverview: async () => ({
      hasKey: true,
      channels: { items: [examined, examined], nextCursor },
      hours: [],
      day: noCounts(),
      takenToday: 0,
      waiting: { count: 0, isMore: false },
      givenUp: { since: null, channels: [], isMore: false },
      endingLicences: [],
    }),
  });
  const { ask, stop } = await run({ useCases });
  const { text } = await ask('/portal', {
    headers: { cookie: `__Host-trunkline_session=${'s'.repeat(43)}` },
  });
  await stop();
  return text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('Home does not say that nothing is wrong with channels that it has not examined', async () => {
  const all = await wordsOfHome({ nextCursor: null, isRefused: false });
  expect(all).toContain('Nothing needs you. No channel is in trouble, and no event was given up');
  const some = await wordsOfHome({ nextCursor: next, isRefused: false });
  expect(some).not.toContain('Nothing needs you');
  expect(some).toContain('Of your first 2 channels none is in trouble, and no event of theirs was given up');
});

test('Home says that its list of problems is of the first channels only', async () => {
  const words = 'Only your first 2 channels are checked here';
  expect(await wordsOfHome({ nextCursor: null, isRefused: true })).not.toContain(words);
  expect(await wordsOfHome({ nextCursor: next, isRefused: true })).toContain(words);
});
