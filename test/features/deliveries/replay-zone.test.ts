/** [portal: how it looks; faults: 405] A replay is asked for, and told, in the zone of the person. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openAnswers } from '../../http/answers-world.ts';
import type { House } from '../../http/house.ts';
import { asOwner } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';

let house: House;
let service: Running;
beforeAll(async () => {
  house = await openAnswers();
  service = await house.run();
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

const inKathmandu = { cookie: `${asOwner.cookie}; trunkline_zone=Asia/Kathmandu` };
const shown = async (path: string): Promise<string> =>
  (await service.ask(`/portal/deliveries${path}`, { headers: inKathmandu })).text;

test('the field has a day ago, or the start of the filter, as clocks there show it', async () => {
  // It is 12:00 UTC, 17:45 there.
  expect(await shown('')).toMatch(
    /<label for="since">Since<\/label><input id="since"[^>]* value="2026-08-31T17:45"/,
  );
  expect(await shown('?from=2026-08-30T09:30')).toMatch(/id="since"[^>]* value="2026-08-30T09:30"/);
});

test('what is typed is a time there, and the question says it so; what follows has the moment itself', async () => {
  const text = await shown('/replay?since=2026-08-30T09:30');
  expect(text).toMatch(/<time datetime="2026-08-30T03:45:00.000Z"[^>]*>30 Aug, 09:30:00<\/time>/);
  expect(text).toContain('name="since" value="2026-08-30T03:45:00.000Z"');
  expect(text).not.toContain('UTC');
});

test('a link of ours has a moment, which is the same everywhere', async () => {
  expect(await shown('/replay?since=2026-08-30T09:30:15.125Z')).toContain(
    'name="since" value="2026-08-30T09:30:15.125Z"',
  );
});

test.each([
  '',
  'yesterday',
  '2026-02-30T10:00',
  '2026-08-30T25:00',
  '2026-08-30T09:30:15.125+01:00',
  '2026-02-30T10:00:00Z',
])('%p is no time', async (since) => {
  const answer = await service.ask(`/portal/deliveries/replay?since=${encodeURIComponent(since)}`, {
    headers: inKathmandu,
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([
    302,
    '/portal/deliveries?no-time#replay-since',
  ]);
  expect(await shown('?no-time')).toContain('Nothing was sent: write the time as 2026-11-27T09:30.');
});
