/** [portal: How it looks, plots] The events of a channel by the hour: counted when somebody looks, bounded, and drawn. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hourMs, minuteMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { connect, openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, caller, now } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';

let house: House;
let service: Running;
const channels: Channel[] = [];
beforeAll(async () => {
  house = await openHouse();
  service = await house.run();
  const createdAt = now - 40 * hourMs;
  for (const kind of ['chatapp', 'photoapp', 'pagechat'] as const)
    channels.push(await connect(house, kind, { createdAt }, {}, createdAt));
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

async function deliver({ id, accountId }: Channel, times: readonly number[]): Promise<void> {
  const writes = times.map((createdAt) => ({
    write: 'insertDelivery' as const,
    delivery: aDelivery(id, { accountId, createdAt, state: 'delivered', payload: null }),
  }));
  await house.channelState.commit(id, 1, writes);
}

const repeated = (count: number, at: number): number[] => Array.from({ length: count }, () => at);
const countsOf = async ({ id }: Channel): Promise<readonly number[]> =>
  (await house.world.channelHours.ofEach(caller.accountId, [id])).get(id)?.counts ?? [];
/** All 0 but for the last ones. */
const parts = (...newestLast: number[]): number[] => [
  ...Array.from({ length: 12 - newestLast.length }, () => 0),
  ...newestLast,
];
/** Of the part that is under way. */
const start = now - (now % (2 * hourMs));

test('few are read at once; what is older than the first part is not counted', async () => {
  const quiet = channels[0]!;
  await deliver(quiet, [
    now,
    start,
    start - 1,
    start - 4 * hourMs,
    start - 22 * hourMs,
    start - 22 * hourMs - 1,
  ]);
  expect(await countsOf(quiet)).toEqual([1, ...parts(1, 1, 2).slice(1)]);
});

test('of many each part is counted, up to 250', async () => {
  const busy = channels[1]!;
  await deliver(busy, [
    ...repeated(125, start),
    ...repeated(290, start - 1),
    ...repeated(9, start - 6 * hourMs),
  ]);
  expect(await countsOf(busy)).toEqual(parts(9, 0, 250, 125));
});

test('a count is kept for a minute', async () => {
  const quiet = channels[0]!;
  const before = await countsOf(quiet);
  await deliver(quiet, [now]);
  house.clock.pass(minuteMs - 1);
  expect(await countsOf(quiet)).toEqual(before);
  house.clock.pass(1);
  expect((await countsOf(quiet)).at(-1)).toBe(3);
});

test('the list and the page of a channel draw it: a bar for each part that had some, the line at zero since it is connected', async () => {
  const { text } = await service.ask('/portal/channels', { headers: asOwner });
  const sparks = [...text.matchAll(/<svg class="spark"[^>]*><title>([^<]+)<\/title>(.*?)<\/svg>/g)];
  const titles = ['24 hours: 0 events', '24 hours: 6 events', '24 hours: more than 384 events'];
  expect(new Set(sparks.map(([, each]) => each))).toEqual(new Set(titles));
  expect(sparks.find(([, title]) => title?.includes('384') === true)?.[2]).toBe(
    '<path class="zero" d="M0 10H12"></path><path d="M8.5 10v-1M10.5 10v-10M11.5 10v-5"></path>',
  );
  expect(sparks.find(([, title]) => title === '24 hours: 0 events')?.[2]).toBe(
    '<path class="zero" d="M0 10H12"></path>',
  );
  const quiet = channels[0]!;
  const page = await service.ask(`/portal/channels/${quiet.id}`, { headers: asOwner });
  expect(page.text).toContain('<title>24 hours: 6 events</title>');
});
