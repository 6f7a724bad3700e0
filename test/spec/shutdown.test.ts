/** [architecture §4 Drain; faults: 30] SIGTERM under load, then a restart: a clean end, and nothing is lost. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { findings, KillableService, trySend } from '../support/crash.ts';
import type { Ended } from '../support/crash.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(60_000);

let killable: KillableService;
let pagechat: Channel;
beforeAll(async () => {
  killable = await KillableService.open({ SEND_QUEUED_AFTER_MS: '3000', SEND_RESEND_AFTER_MS: '5000' });
  pagechat = await killable.world.connected('pagechat');
});
afterAll(() => killable.close());

test('SIGTERM while 8 clients send and people write: exit code 0 in time; each send is answered or was not sent', async () => {
  await killable.simulator.control('faults', {
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
      const one = await trySend(killable.world, pagechat, newPerson('pagechat'), 'under load');
      ended.push(one);
      if (one.status === 'gone') return;
      const from = newPerson('pagechat');
      people.push(from);
      await killable.world.write(pagechat, { text: 'under load' }, from);
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await killable.inbox.next(60);
  const code = await killable.process.terminate();
  over.abort();
  await Promise.all(clients);
  expect(code).toBe(0);
  expect(ended.filter(({ status }) => status === 'sent').length).toBeGreaterThan(20);
  await killable.restart();
  const heard = (): Set<unknown> =>
    new Set(killable.inbox.ofType('message.received').map(({ event }) => event.data['from']));
  // Facts that came after the channel's deactivation are stranded; a node looks for such facts every second.
  await until('the stranded facts to be given', () => people.every((from) => heard().has(from)));
  await killable.settled(pagechat);
  await until('no finding', async () => (await findings(killable, ended, 'message.delivered')).length === 0);
  expect(heard()).toEqual(new Set(people));
  // A clean end waits for open POSTs: none is repeated.
  expect(killable.maxPosts()).toBe(1);
});

test('webhooks that wait for their retry are kept for the next start', async () => {
  killable.inbox.clear();
  killable.inbox.answerAlways(503);
  const from = newPerson('pagechat');
  await killable.world.write(pagechat, { text: 'kept', wait: true }, from);
  await killable.inbox.next(1);
  expect(await killable.process.terminate()).toBe(0);
  killable.inbox.answerAlways(200);
  await killable.restart();
  await killable.inbox.next(1, ({ answered, event }) => answered === 200 && event.data['from'] === from);
});
