/** [portal: Messages; portal: Deliveries] The pages of a delivery whose log has dropped its oldest attempts. */
import { expect, test } from '@jest/globals';
import { newMessage } from '../../../src/rules/messages/message.ts';
import { parseAttempts, withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import { fault } from '../../../src/kernel/faults.ts';
import type { MessageTimeline } from '../../../src/features/index.ts';
import { channelOf } from '../../rules/samples.ts';
import { caller, now, otherId, run, someId, useCasesWith, visitor } from '../../http/support.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';

const channel = channelOf('chatapp', { id: someId, accountId: caller.accountId });
const message = newMessage(channel, {
  id: otherId,
  recipient: '4915900000777',
  state: 'sent',
  attemptedAt: now,
  epoch: 1,
  createdAt: now,
});

/** The texts of the pages of a message that was sent, of one that was received, and of their delivery, after this many attempts. */
async function pagesAfter(count: number) {
  let attemptLog: string | null = null;
  for (let n = 0; n < count; n += 1)
    attemptLog = withAttempt(attemptLog, { at: now + n, durationMs: 1, status: 500, failure: 'status' });
  const made = { id: otherId, accountId: caller.accountId, state: 'failed', attemptLog } as const;
  const delivery = { ...aDelivery(channel.id, made), keptUntil: null };
  let timeline: MessageTimeline | null = null;
  const useCases = useCasesWith({
    visitor: async () => visitor,
    readChannel: async () => ({ channel, subscription: null }),
    messageTimeline: async () => timeline ?? Promise.reject(fault('not_found')),
    deliveredMessage: async () => [delivery],
    readDelivery: async () => ({
      channel,
      delivery,
      attempts: parseAttempts(attemptLog).map((attempt) => ({ ...attempt, transcript: null })),
      maxAttempts: 8,
      body: null,
    }),
  });
  const { ask, stop } = await run({ useCases });
  const headers = { cookie: `__Host-trunkline_session=${'s'.repeat(43)}` };
  const textOf = async (path: string): Promise<string> =>
    (await ask(`/portal/channels/${channel.id}/${path}/${otherId}`, { headers })).text;
  const received = await textOf('messages');
  timeline = { message, deliveries: [delivery] };
  const sent = await textOf('messages');
  const examined = await textOf('deliveries');
  await stop();
  return { sent, received, examined };
}

test('after nine attempts the pages show all of them', async () => {
  const { sent, received, examined } = await pagesAfter(9);
  for (const page of [sent, received]) expect(page.match(/webhook message\.delivered/g)).toHaveLength(9);
  for (const page of [sent, received, examined]) expect(page).not.toMatch(/missing/);
  expect(examined).toContain('Attempt 9 ');
});

test('after ten attempts the pages say that older ones are missing', async () => {
  const { sent, received, examined } = await pagesAfter(10);
  for (const page of [sent, received])
    expect(page).toContain('Older webhook attempts are missing: of each event only the last 9 are kept.');
  expect(examined).toContain('Only the last 9 attempts are kept: older ones are missing here.');
  expect(examined).not.toMatch(/Attempt \d/); // their numbers are unknown
});
