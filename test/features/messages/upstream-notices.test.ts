/** [operator-interface §4: channel health] What upstream tells besides messages is shown where its operator and its owner look. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Notice } from '../../../src/rules/messages/facts.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { messageTo, receivePost } from '../support/posts.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

const told = (kind: Notice['kind'], detail: string | null = null): Notice => ({
  kind,
  channelType: 'pagechat',
  identity: channel.identity,
  detail,
});
const receive = (...notices: Notice[]) => receivePost(service, [], { notices, ignored: notices.length });
const problems = async () =>
  (await service.features.channelHealth(tenant, channel.id)).problems.map(({ code, affects }) => [
    code,
    affects,
  ]);

test.each([
  ['messages_without_content', ['receive']],
  ['policy_enforcement', ['send']],
  ['test_push_received', []],
] as const)('%s is a problem of the channel', async (kind, affects) => {
  const known = await problems();
  await receive(told(kind), told(kind));
  expect(await problems()).toEqual(expect.arrayContaining([...known, [kind, affects]]));
  expect(service.counted('upstream_notices_total', { kind })).toBe(2);
  await receive(told(kind));
  expect(service.counted('channel_problems_total', { code: kind })).toBe(1);
});

test('a block that upstream lifts is over', async () => {
  const known = await problems();
  await receive(told('policy_enforcement', 'block'));
  await receive(told('policy_enforcement', 'unblock'));
  expect(await problems()).toEqual(known);
});

test('errors of the app are logged with their code and are no problem of the channel', async () => {
  const known = await problems();
  await receive(told('upstream_errors', '131000'));
  expect(await problems()).toEqual(known);
  expect(service.told).toContainEqual(
    expect.objectContaining({ msg: 'upstream.notice', kind: 'upstream_errors', detail: '131000' }),
  );
});

test('a test event of a placeholder concerns no channel', async () => {
  const known = await problems();
  await receive({ ...told('test_push_received'), identity: '0' });
  expect(await problems()).toEqual(known);
});

test('what upstream does not tell again is over after a day', async () => {
  const known = await problems();
  await receive(told('messages_without_content'), told('policy_enforcement', 'block'));
  service.clock.pass(dayMs - 1);
  await service.features.checkChannels();
  expect(await problems()).toHaveLength(known.length + 2);
  service.clock.pass(dayMs);
  await service.features.checkChannels();
  expect(await problems()).toEqual(expect.arrayContaining([...known, ['policy_enforcement', ['send']]]));
  expect(await problems()).toHaveLength(known.length + 1);
});

test('a store that does not take it holds up no message', async () => {
  service.stores.health.noteProblem = () => Promise.reject(new StoreUnavailable('away'));
  const message = messageTo(channel);
  await receivePost(service, [message], { notices: [told('test_push_received')] });
  expect(service.router.facts).toEqual([{ channelId: channel.id, facts: [message] }]);
});
