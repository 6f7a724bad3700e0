/** [architecture §4 Drain; faults: 30] SIGTERM under load, restart: a clean end, and nothing is lost. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { findings, Mortal, trySend } from '../support/crash.ts';
import type { Ended } from '../support/crash.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(60_000);

let mortal: Mortal;
let pagechat: Channel;
beforeAll(async () => {
  mortal = await Mortal.open({ SEND_QUEUED_AFTER_MS: '3000', SEND_RESEND_AFTER_MS: '5000' });
  pagechat = await mortal.world.connected('pagechat');
});
afterAll(() => mortal.close());

test('SIGTERM while 8 clients send and people write: exit code 0 in time; each send is answered or was not sent', async () => {
  await mortal.simulator.control('faults', {
    match: { kind: 'pagechat' },
    act: 'ok',
    delay_ms: 20,
    times: 0,
  });
  const ended: Ended[] = [];
  const people: string[] = [];
  const over = new AbortController();
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const one = await trySend(mortal.world, pagechat, newPerson('pagechat'), 'under load');
      ended.push(one);
      if (one.status === 'gone') return;
      const from = newPerson('pagechat');
      people.push(from);
      await mortal.world.write(pagechat, { text: 'under load' }, from);
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await mortal.inbox.next(60);
  const code = await mortal.process.terminate();
  over.abort();
  await Promise.all(clients);
  expect(code).toBe(0);
  expect(ended.filter(({ status }) => status === 'sent').length).toBeGreaterThan(20);
  await mortal.restart();
  const heard = (): Set<unknown> =>
    new Set(mortal.inbox.ofType('message.received').map(({ event }) => event.data['from']));
  // What came after the channel had ended was stranded; each second a node looks for it.
  await until('the stranded facts to be given', () => people.every((from) => heard().has(from)));
  await mortal.settled(pagechat);
  await until('no finding', async () => (await findings(mortal, ended, 'message.delivered')).length === 0);
  expect(heard()).toEqual(new Set(people));
  // A clean end leaves nothing open: no POST twice.
  expect(mortal.maxPosts()).toBe(1);
});

test('webhooks that wait for their retry are kept for the next start', async () => {
  mortal.inbox.clear();
  mortal.inbox.answerAlways(503);
  const from = newPerson('pagechat');
  await mortal.world.write(pagechat, { text: 'kept', wait: true }, from);
  await mortal.inbox.next(1);
  expect(await mortal.process.terminate()).toBe(0);
  mortal.inbox.answerAlways(200);
  await mortal.restart();
  await mortal.inbox.next(1, ({ answered, event }) => answered === 200 && event.data['from'] === from);
});
