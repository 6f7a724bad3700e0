/** [spec: Send error codes; upstream §2.4] A send of a number that is not registered: who has to connect it again is told, nobody else. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { chatappProfile } from '../../support/profiles.ts';
import { connectedChannel, mailsTo, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
});

const mailsAfter = async (of: Channel, times = 1): Promise<string[]> => {
  for (let n = 0; n < times; n += 1) await service.features.noteRefusedNumber({ channel: of, code: 133010 });
  const mails = await mailsTo(service, tenant);
  return mails.map(({ kind, lines }) => `${kind}: ${lines.at(-1)}`);
};

test('its account is told once to connect it again', async () => {
  expect(await mailsAfter(channel, 3)).toEqual([
    expect.stringMatching(
      /^reconnect: .*The number is not registered; .*reconnect the channel \(code 133010\)$/,
    ),
  ]);
});

test('nobody is told while the service registers it by itself', async () => {
  const problem = { code: 'registration_pending' } as const;
  await service.stores.health.noteProblem(channel.id, problem, service.clock.now());
  expect(await mailsAfter(channel)).toEqual([]);
});

test('nobody is told of a number that is also on a phone: connecting registers only others', async () => {
  expect(await mailsAfter({ ...channel, profile: chatappProfile({ isDualUse: true }) })).toEqual([]);
});

test('nobody is told of a channel that was connected again meanwhile, or removed', async () => {
  expect(await mailsAfter({ ...channel, token: null })).toEqual([]);
  await service.features.deactivateChannel(tenant, channel.id);
  expect(await mailsAfter(channel)).toEqual([]);
});

test('while the store is down it is logged, and the next refusal tells', async () => {
  const { health } = service.stores;
  service.stores.health = { ...health, of: () => Promise.reject(new StoreUnavailable('away')) };
  service.told.length = 0;
  expect(await mailsAfter(channel)).toEqual([]);
  expect(service.told).toEqual([
    expect.objectContaining({ msg: 'channel.refusal-not-noted', level: 'warn' }),
  ]);
  service.stores.health = health;
  expect(await mailsAfter(channel)).toHaveLength(1);
});
