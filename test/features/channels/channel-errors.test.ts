/** [portal: the operators' Channel] Why a channel does not work: its last errors by code. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { LoggedCall, OutboundMessage } from '../../../src/rules/messages/message.ts';
import { withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aDelivery, aMessage, aTest } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
let now: number;
beforeAll(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  now = service.clock.now();
});

async function sent(over: Partial<OutboundMessage>, of = channel): Promise<void> {
  const message = aMessage(of.id, { accountId: tenant.accountId, createdAt: now - 9_000, ...over });
  await service.channelState.commit(of.id, 1, [{ write: 'insertMessage', message }]);
}

const call = (at: number, code: number | null, over: Partial<LoggedCall> = {}): LoggedCall => ({
  at,
  endedAt: at + 5,
  outcome: 'refused',
  error: code === null ? null : `Sentence of ${code} (upstream: said to 4917 (him))`,
  code,
  traceId: null,
  ...over,
});

async function posted(attempts: readonly [at: number, status: number | null, failure: string | null][]) {
  const attemptLog = attempts.reduce<string | null>(
    (log, [at, status, failure]) => withAttempt(log, { at, durationMs: 1, status, failure }),
    null,
  );
  const made = { id: newId(), accountId: tenant.accountId, createdAt: now - 8_000 };
  const delivery = aDelivery(channel.id, { ...made, attemptLog, attempts: attempts.length });
  await service.channelState.commit(channel.id, 1, [{ write: 'insertDelivery', delivery }]);
}

const errors = async () => (await service.features.diagnoseChannel(channel.id)).errors;

test('a channel without errors has none', async () => {
  await sent({ state: 'sent' });
  await posted([[now - 7_000, 200, null]]);
  expect(await errors()).toEqual([]);
});

test('a test event is none of the receiver: its address may not be saved yet', async () => {
  const attemptLog = withAttempt(null, { at: now - 7_000, durationMs: 1, status: 404, failure: 'status' });
  const made = { id: newId(), accountId: tenant.accountId, createdAt: now - 8_000 };
  await service.stores.deliveryLog.addTest(aTest(channel.id, { ...made, state: 'failed', attemptLog }));
  expect(await errors()).toEqual([]);
});

test('has codes of sends and of receivers, with count and last time, but no text of upstream', async () => {
  await sent({
    state: 'failed',
    tries: 2,
    calls: { 1: call(now - 6_000, 131056), 2: call(now - 5_000, 131026) },
  });
  await sent({ state: 'queued', calls: { 1: call(now - 4_000, 131056, { outcome: 'deferred' }) } });
  await sent({ state: 'queued', calls: { 1: call(now - 3_500, null, { outcome: 'unknown' }) } });
  await sent({
    state: 'sent',
    deliveryFailed: true,
    failedAt: now - 3_000,
    errorCode: 131049,
    error: 'Sentence of 131049 (upstream: held back)',
  });
  await posted([
    [now - 2_000, 500, 'status'],
    [now - 1_000, null, 'timeout'],
  ]);
  await posted([[now - 1_500, 500, 'status']]);
  expect(await errors()).toEqual([
    { of: 'delivery', code: 'timeout', words: null, count: 1, lastAt: now - 1_000 },
    { of: 'delivery', code: '500', words: null, count: 2, lastAt: now - 1_500 },
    { of: 'send', code: '131049', words: 'Sentence of 131049', count: 1, lastAt: now - 3_000 },
    { of: 'send', code: 'unknown', words: null, count: 1, lastAt: now - 3_500 },
    { of: 'send', code: '131056', words: 'Sentence of 131056', count: 2, lastAt: now - 4_000 },
    { of: 'send', code: '131026', words: 'Sentence of 131026', count: 1, lastAt: now - 5_000 },
  ]);
});

test('has nothing of another channel', async () => {
  const other = await connectedChannel(service, await newTenant(service), 'pagechat');
  expect((await service.features.diagnoseChannel(other.id)).errors).toEqual([]);
});
