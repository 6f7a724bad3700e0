/** [portal: Messages] A filter that matches few of many. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { hourMs } from '../../../src/kernel/clock.ts';
import { connect, openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, now } from '../../http/support.ts';
import { aMessage } from '../../stores/conformance/samples.ts';
import { perPage } from '../../../src/pages/list/paging.tsx';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Messages that a read looks at. */
const atOnce = 1_000;

/** The states of that many messages, of which the last `failed` have failed. */
const states = (count: number, failed = 0): OutboundMessage['state'][] =>
  Array.from({ length: count }, (_, n) => (n < count - failed ? 'sent' : 'failed'));

/** The page of a channel with messages of these states, the newest first, a millisecond apart from `newestAt` on. */
async function shown(channelType: ChannelType, all: OutboundMessage['state'][], newestAt = now) {
  const { id, accountId } = await connect(house, channelType);
  const messages = all.map((state, n) =>
    aMessage(id, { accountId, channelType, state, createdAt: newestAt - n, content: null }),
  );
  const writes = messages.map((message) => ({ write: 'insertMessage' as const, message }));
  await house.channelState.commit(id, 1, writes);
  let looked = 0;
  const { world } = house;
  const { messageList } = world.stores;
  const sent: typeof messageList.sent = async (query) => {
    const found = await messageList.sent(query);
    looked += found.length;
    return found;
  };
  const stores = { ...world.stores, messageList: { ...messageList, sent } };
  const { ask, stop } = await house.run({ world: { ...world, stores } });
  const { text } = await ask(`/portal/messages?state=failed&channel=${id}`, { headers: asOwner });
  await stop();
  return { text, looked, messages, rows: text.split('>What happened<').length - 1 };
}

test('reads until the page is full, or everything has been searched', async () => {
  const all = [states(atOnce), states(atOnce, 2), states(1, 1)].flat();
  const { rows, text } = await shown('chatapp', all);
  expect(rows).toBe(3);
  expect(text).not.toContain('cursor=');
});

test('does not read on after a full page', async () => {
  const { rows, looked } = await shown('photoapp', [...states(perPage, perPage), ...states(atOnce, 1)]);
  expect([rows, looked]).toEqual([perPage, 200]);
});

test('after three reads it says how far it searched, and offers to continue', async () => {
  const { text, messages, rows } = await shown(
    'pagechat',
    [...states(3 * atOnce), ...states(1, 1)],
    now - 2 * hourMs,
  );
  expect([rows, text]).toEqual([0, expect.stringMatching(/those since <time[^>]*title="2 h ago"/)]);
  const { createdAt, id } = messages[3 * atOnce - 1] ?? {};
  const cursor = Buffer.from(`${createdAt}.${id}`).toString('base64url');
  expect(text).toMatch(
    new RegExp(`href="/portal/messages\\?channel=[^"]*&(?:amp;)?state=failed&(?:amp;)?cursor=${cursor}"`),
  );
});
