/** [spec: Ordered delivery; faults: 382] kill -9 while events of one person wait behind one that fails: the order stays. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { newPerson } from '../support/sends.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

let killable: KillableService;
let channel: Channel;
beforeAll(async () => {
  killable = await KillableService.open({ WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000,1000,1000,1000,1000' });
  channel = await killable.world.connected('pagechat');
  const path = `/api/v1/channels/${channel.id}`;
  await killable.process.call('PATCH', path, { key: channel.key, body: { ordered: true } });
});
afterAll(() => killable.close());

test('killed between the failed attempt of the first event and its retry, and again between a POST and its outcome', async () => {
  const from = newPerson('pagechat');
  const texts = Array.from({ length: 6 }, (_, n) => `text ${n}`);
  killable.inbox.answerAlways(503);
  for (const text of texts) await killable.world.write(channel, { text, wait: true }, from);
  await killable.inbox.next(1);
  await killable.kill();
  killable.inbox.answerAlways('hang');
  const before = killable.inbox.arrivals.length;
  await killable.restart();
  await killable.inbox.next(before + 1);
  await killable.kill();
  killable.inbox.answerAlways(200);
  await killable.restart();
  await killable.settled(channel);
  const textOf = ({ event }: { event: { data: Record<string, unknown> } }) => event.data['text'];
  const told = killable.inbox.arrivals.filter(({ answered }) => answered === 200).map(textOf);
  expect(told).toEqual(texts);
  expect(new Set(killable.inbox.arrivals.filter(({ answered }) => answered !== 200).map(textOf))).toEqual(
    new Set(['text 0']),
  );
});
