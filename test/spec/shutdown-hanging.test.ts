/** [operator-interface §2 DRAIN_TIMEOUT_MS; faults: 30, 36] SIGTERM while upstream and receivers hang: the process ends nevertheless. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { findings, KillableService, trySend } from '../support/crash.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

let killable: KillableService;
let pagechat: Channel;
beforeAll(async () => {
  killable = await KillableService.open({
    DRAIN_TIMEOUT_MS: '300',
    SEND_QUEUED_AFTER_MS: '60000',
    SEND_RESEND_AFTER_MS: '3000',
    WEBHOOK_TIMEOUT_MS: '60000',
  });
  pagechat = await killable.world.connected('pagechat');
});
afterEach(() => killable.inbox.answerAlways(200));
afterAll(() => killable.close());

/** Upstream accepts sends and never answers; with `silent` it sends no status either. */
async function hang(silent: boolean): Promise<void> {
  await call('DELETE', `${killable.simulator.url}/control/faults`);
  await killable.simulator.control('faults', { match: { kind: 'pagechat' }, act: 'hang', silent, times: 0 });
}

/** The number of copies that each person has got. */
const copiesOf = (people: readonly string[]): Promise<number[]> =>
  Promise.all(people.map(async (recipient) => (await ledger(killable.simulator, { recipient })).length));

test('calls that upstream never answers: the process ends, each client was answered `queued`, no person gets a third copy', async () => {
  await hang(true);
  const people = Array.from({ length: 20 }, () => newPerson('pagechat'));
  const sends = people.map((recipient) => trySend(killable.world, pagechat, recipient, 'into the void'));
  await until('the calls to hang', async () => (await copiesOf(people)).every((count) => count === 1));
  // Only the service can end the calls: upstream keeps them open.
  expect(await killable.process.terminate()).toBe(0);
  const ended = await Promise.all(sends);
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['queued']));

  await hang(false);
  await killable.restart();
  await until('the second copies', async () => (await copiesOf(people)).every((count) => count === 2));
  expect(await killable.process.terminate()).toBe(0);

  await killable.restart();
  await killable.settled(pagechat);
  expect(await copiesOf(people)).toEqual(people.map(() => 2));
  // Statuses that waited for their message are matched when the channel is activated again.
  await until(
    'every delivery to be told',
    async () => (await findings(killable, ended, 'message.delivered')).length === 0,
  );
});

test('a receiver that never answers: the process ends, and the events are delivered after the next start', async () => {
  killable.inbox.answerAlways('hang');
  const from = newPerson('pagechat');
  await killable.world.write(pagechat, { text: 'unheard', wait: true }, from);
  await killable.inbox.next(1, ({ event }) => event.data['from'] === from);
  expect(await killable.process.terminate()).toBe(0);
  killable.inbox.answerAlways(200);
  await killable.restart();
  await killable.inbox.next(1, ({ answered, event }) => answered === 200 && event.data['from'] === from);
});
