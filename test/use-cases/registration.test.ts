/** [operator-interface §4: a number whose registration is refused; upstream §2.4] */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dayMs, hourMs, minuteMs } from '../../src/kernel/clock.ts';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { connectedChannel, newTenant, openService } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const refused = (hurdle: 'name_pending' | 'not_verified' | 'limited' | 'wrong_pin', calls = true) =>
  ({ isReady: false, hurdle, words: null, calls }) as const;
const problemOf = async (tenant: Tenant, { id }: Channel) =>
  (await service.useCases.channelHealth(tenant, id)).problems.find(
    ({ code }) => code === 'registration_pending',
  );
const triesOf = ({ id }: Channel): number => service.upstream.registered.filter((each) => each === id).length;
const look = () => service.useCases.registerDueNumbers();

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
  await service.useCases.deactivateChannel(tenant, channel.id);
  service.clock.pass(hourMs);
  await look();
  expect(triesOf(channel)).toBe(1);
  expect((await service.stores.health.of(channel.id))?.problems).toBe(null);
});
