/** [portal: Messages; portal: Deliveries] The pages of a delivery whose log has dropped its oldest attempts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connect, openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, caller, now, someId } from '../../http/support.ts';
import { aDelivery, aMessage } from '../../stores/conformance/samples.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
});
afterAll(() => house.close());

const { accountId } = caller;
const failed = { accountId, state: 'failed', createdAt: now, payload: null } as const;

/** The texts of the pages of a message that was sent, of one that was received, and of a delivery, after this many attempts. */
async function pagesAfter(count: number) {
  let attemptLog: string | null = null;
  for (let n = 0; n < count; n += 1)
    attemptLog = withAttempt(attemptLog, { at: now + n, durationMs: 1, status: 500, failure: 'status' });
  const madeOf = (messageId: string, event: 'message.delivered' | 'message.received') =>
    aDelivery(someId, {
      ...failed,
      id: makeDeliveryId(someId, messageId, event),
      messageId,
      event,
      attemptLog,
    });
  const [ofSent, ofReceived] = [madeOf(newId(), 'message.delivered'), madeOf(newId(), 'message.received')];
  const message = aMessage(someId, { id: ofSent.messageId, accountId, state: 'sent', createdAt: now });
  await house.channelState.commit(someId, 1, [
    { write: 'insertMessage', message },
    { write: 'insertDelivery', delivery: ofSent },
    { write: 'insertDelivery', delivery: ofReceived },
  ]);
  const { ask, stop } = await house.run();
  const textOf = async (path: string): Promise<string> =>
    (await ask(`/portal/channels/${someId}/${path}`, { headers: asOwner })).text;
  const sent = await textOf(`messages/${ofSent.messageId}`);
  const received = await textOf(`messages/${ofReceived.messageId}`);
  const examined = await textOf(`deliveries/${ofSent.id}`);
  await stop();
  return { sent, received, examined };
}

test('after nine attempts the pages show all of them', async () => {
  const { sent, received, examined } = await pagesAfter(9);
  expect(sent.match(/webhook message\.delivered/g)).toHaveLength(9);
  expect(received.match(/webhook message\.received/g)).toHaveLength(9);
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
