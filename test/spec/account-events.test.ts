/** [operator-interface §4; upstream §4.6; faults: 240] kill -9 while the phone of a number was registered anew and upstream has paused it. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { ledger, mailsOf, newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(90_000);

const dualUse = '422300000000012';
let killable: KillableService;
let channel: Channel;
beforeAll(async () => {
  killable = await KillableService.open({ HEALTH_CHECK_INTERVAL_MS: '200' });
  const account = await newAccount(killable.world.service);
  channel = await killable.world.connect(account, 'chatapp', { upstream: dualUse });
}, 90_000);
afterAll(() => killable.close());

async function problems(): Promise<string[]> {
  const path = `/api/v1/channels/${channel.id}/health`;
  const { body } = await killable.world.service.call('GET', path, { key: channel.key });
  return body.problems.map(({ code }: { code: string }) => code);
}

test('sends are queued, none is called, and all go out when upstream has the number back, also after a crash', async () => {
  await killable.simulator.control('offboard', { channel: dualUse, for_ms: 86_400_000 });
  await until('the channel to be paused', async () => (await problems()).includes('sends_paused'));
  const people = [newPerson('chatapp'), newPerson('chatapp')];
  const [before = '', after = ''] = people;
  const first = await killable.world.send(channel, 'before the crash', before);
  expect([first.status, first.body.status, first.body.error]).toEqual([200, 'queued', null]);
  await killable.kill();
  await killable.restart();
  const second = await killable.world.send(channel, 'after it', after);
  expect([second.status, second.body.status]).toEqual([200, 'queued']);
  for (const recipient of people)
    expect(await ledger(killable.simulator, { recipient, outcome: 'all' })).toEqual([]);
  const back = { waba_id: '311200000000001', event: 'ACCOUNT_RECONNECTED' };
  await killable.simulator.control('offboard', { channel: dualUse, for_ms: 0 });
  await killable.simulator.control('account-updates', back);
  await until('the channel to be well', async () => (await problems()).length === 0);
  for (const recipient of people) {
    const calls = await ledger(killable.simulator, { recipient, at_least: 1, wait_ms: 30_000 });
    expect(calls.map(({ outcome }) => outcome)).toEqual(['accepted']);
  }
});

test('a business that removes the service silently is noticed by the first send', async () => {
  const account = await newAccount(killable.world.service);
  const own = await killable.world.connect(account, 'chatapp', { upstream: '422300000000102' });
  await killable.simulator.control('access', { waba_id: '311200000000101', silent: true });
  const refused = await killable.world.send(own, 'anybody?', newPerson('chatapp'));
  expect([refused.status, refused.body.status, refused.body.error_code]).toEqual([200, 'failed', 100]);
  const path = `/api/v1/channels/${own.id}/health`;
  await until('the health to say so', async () => {
    const { body } = await killable.world.service.call('GET', path, { key: own.key });
    return body.problems[0]?.code === 'access_removed' && body.can_send === false;
  });
  await until('the mail', async () =>
    (await mailsOf(killable.world, account.accountId)).some(({ kind }) => kind === 'channel-problem'),
  );
});
