/** [operator-interface §4: a number whose registration is refused; upstream §2.4] */
import { expect, test } from '@jest/globals';
import { dayMs, hourMs, minuteMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { assetOf } from '../support/outside.ts';
import { codeFor, connectedChannel, mailsTo, newIdentity, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

const refused = (hurdle: 'name_pending' | 'not_verified' | 'limited' | 'wrong_pin', calls = true) =>
  ({ isReady: false, hurdle, words: null, calls }) as const;
const problemOf = async (tenant: Tenant, { id }: Channel) =>
  (await service.features.channelHealth(tenant, id)).problems.find(
    ({ code }) => code === 'registration_pending',
  );
const triesOf = ({ id }: Channel): number => service.upstream.registered.filter((each) => each === id).length;
const look = () => service.features.registerDueNumbers();

test('a ready number has no problem; a page is not registered', async () => {
  const tenant = await newTenant(service);
  const number = await connectedChannel(service, tenant, 'chatapp');
  const page = await connectedChannel(service, tenant, 'pagechat');
  expect([triesOf(number), triesOf(page), await problemOf(tenant, number)]).toEqual([1, 0, undefined]);
});

test('a refused number is connected with the reason, and registered by itself when upstream allows it', async () => {
  const tenant = await newTenant(service);
  service.upstream.registrations.push(refused('name_pending'), refused('name_pending'));
  const channel = await connectedChannel(service, tenant, 'chatapp');
  const since = service.clock.now();
  expect([channel.isActive, await problemOf(tenant, channel)]).toEqual([
    true,
    {
      code: 'registration_pending',
      affects: ['send', 'receive'],
      detail: expect.stringMatching(/^Upstream is still processing the number's display name/),
      since,
      nextTryAt: since + 10 * minuteMs,
    },
  ]);
  await look();
  expect(triesOf(channel)).toBe(1);
  service.clock.pass(10 * minuteMs);
  await Promise.all([look(), look()]);
  expect([triesOf(channel), (await problemOf(tenant, channel))?.nextTryAt]).toEqual([
    2,
    service.clock.now() + 30 * minuteMs,
  ]);
  service.clock.pass(30 * minuteMs);
  await look();
  expect([triesOf(channel), await problemOf(tenant, channel)]).toEqual([3, undefined]);
});

test('an unverified number costs no call; a wrong PIN is tried a day later', async () => {
  const tenant = await newTenant(service);
  service.upstream.registrations.push(refused('not_verified', false));
  const channel = await connectedChannel(service, tenant, 'chatapp');
  expect((await problemOf(tenant, channel))?.detail).toContain('add and verify a number in WhatsApp Manager');
  expect((await service.stores.health.of(channel.id))?.registrations).toBe(null);
  service.clock.pass(10 * minuteMs);
  service.upstream.registrations.push(refused('wrong_pin'));
  await look();
  expect((await problemOf(tenant, channel))?.nextTryAt).toBe(service.clock.now() + dayMs);
  service.clock.pass(dayMs);
  await look();
});

test('eight calls in 72 hours, whatever asks for them; what upstream said stays the reason', async () => {
  const tenant = await newTenant(service);
  service.upstream.registrations.push(...Array.from({ length: 20 }, () => refused('name_pending')));
  const channel = await connectedChannel(service, tenant, 'chatapp');
  const first = service.clock.now();
  for (let hours = 0; hours < 71; hours += 1) {
    service.clock.pass(hourMs);
    const problem = await problemOf(tenant, channel);
    // As if somebody connected the channel again and again.
    const again = { code: 'registration_pending', detail: problem?.detail, nextTryAt: 1 } as const;
    await service.stores.health.noteProblem(channel.id, again, service.clock.now());
    await look();
  }
  expect(triesOf(channel)).toBe(8);
  expect(await problemOf(tenant, channel)).toMatchObject({
    detail: expect.stringMatching(/display name/),
    nextTryAt: first + 3 * dayMs,
  });
  service.upstream.registrations.length = 0;
  service.clock.pass(hourMs);
  await look();
  expect([triesOf(channel), await problemOf(tenant, channel)]).toEqual([9, undefined]);
});

test('a channel that is deactivated meanwhile is not registered', async () => {
  const tenant = await newTenant(service);
  service.upstream.registrations.push(refused('name_pending'));
  const channel = await connectedChannel(service, tenant, 'chatapp');
  await service.features.deactivateChannel(tenant, channel.id);
  service.clock.pass(hourMs);
  await look();
  expect(triesOf(channel)).toBe(1);
  expect((await service.stores.health.of(channel.id))?.problems).toBe(null);
});

test('a node that ends right after the exchange leaves a number that another registers', async () => {
  const tenant = await newTenant(service);
  const code = await codeFor(service, tenant, assetOf('chatapp', newIdentity()));
  const { channels } = service.stores;
  const connectedHere: Channel[] = [];
  service.stores.channels = {
    ...channels,
    exchange: async (...given) => {
      const channel = await channels.exchange(...given);
      if (channel !== null) connectedHere.push(channel);
      throw new StoreUnavailable('the node ends');
    },
  };
  await expect(service.features.exchangeCode(tenant, { code })).rejects.toThrow();
  service.stores.channels = channels;
  const [channel] = connectedHere;
  if (channel === undefined) throw new Error('not connected');
  expect([triesOf(channel), (await problemOf(tenant, channel))?.detail]).toEqual([
    0,
    expect.stringMatching(/^The service is registering the number/),
  ]);
  service.clock.pass(2 * minuteMs);
  await look();
  expect([triesOf(channel), await problemOf(tenant, channel)]).toEqual([1, undefined]);
});

test('a refused registration is counted once, and mailed once when it has lasted an hour', async () => {
  const tenant = await newTenant(service);
  const counted = () => service.counted('channel_problems_total', { code: 'registration_pending' });
  const before = counted();
  service.upstream.registrations.push(...Array.from({ length: 9 }, () => refused('name_pending')));
  const channel = await connectedChannel(service, tenant, 'chatapp');
  const mails = async () => (await mailsTo(service, tenant)).filter(({ kind }) => kind === 'channel-problem');
  service.clock.pass(59 * minuteMs);
  await look();
  expect(await mails()).toEqual([]);
  service.clock.pass(minuteMs);
  for (let looks = 0; looks < 3; looks += 1) await look();
  service.clock.pass(dayMs);
  await look();
  expect((await mails()).map(({ lines }) => lines.join(' '))).toEqual([
    expect.stringMatching(
      /No message can be sent through the channel.*still processing the number's display name/,
    ),
  ]);
  expect(counted() - before).toBe(1);
  service.upstream.registrations.length = 0;
  service.clock.pass(dayMs);
  await look();
  expect(await problemOf(tenant, channel)).toBe(undefined);
});

test('a number is tried again behind any number of channels that are troubled for longer', async () => {
  const now = service.clock.now();
  const others = Array.from({ length: 1_001 }, newId);
  for (const id of others) await service.stores.health.noteProblem(id, { code: 'access_removed' }, now - 1);
  const tenant = await newTenant(service);
  service.upstream.registrations.push(refused('name_pending'));
  const channel = await connectedChannel(service, tenant, 'chatapp');
  service.clock.pass(10 * minuteMs);
  await look();
  expect(triesOf(channel)).toBe(2);
});
