import { expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { assetOf } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import {
  connectedChannel,
  finishedSetup,
  newIdentity,
  newLicence,
  newTenant,
  openedSetup,
} from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

test('the last free slot raced by 50 setup flows: one code, 49 refusals', async () => {
  const tenant = await newTenant(service);
  const states: string[] = [];
  for (let i = 0; i < 50; i += 1) states.push(await openedSetup(service, tenant, 'chatapp'));
  const ends = await Promise.all(
    states.map((state) => finishedSetup(service, state, [assetOf('chatapp', newIdentity())])),
  );
  expect(ends.filter((end) => end['code'] !== undefined)).toHaveLength(1);
  expect(ends.filter((end) => end['error'] === 'no_free_slot')).toHaveLength(49);
});

test('5 free slots raced by 8 setup flows: all 5 are used', async () => {
  const tenant = await newTenant(service);
  for (let i = 0; i < 4; i += 1) await newLicence(service, tenant);
  const states: string[] = [];
  for (let i = 0; i < 8; i += 1) states.push(await openedSetup(service, tenant, 'chatapp'));
  const ends = await Promise.all(
    states.map((state) => finishedSetup(service, state, [assetOf('chatapp', newIdentity())])),
  );
  const codes = ends.flatMap((end) => end['code'] ?? []);
  expect(codes).toHaveLength(5);
  for (const code of codes) await service.features.exchangeCode(tenant, { code });
  const { availableSlots } = await service.features.listSubscriptions(tenant, everything);
  expect(availableSlots.chatapp.total).toBe(0);
});

test('20 setup flows of one account connect 20 assets at once: each asks the store a few times [faults: 208]', async () => {
  const count = 20;
  const tenant = await newTenant(service);
  for (let i = 1; i < count; i += 1) await newLicence(service, tenant);
  const states: string[] = [];
  for (let i = 0; i < count; i += 1) states.push(await openedSetup(service, tenant, 'chatapp'));
  const { channels } = service.stores;
  let reservations = 0;
  service.stores.channels = {
    ...channels,
    reserve(...asked) {
      reservations += 1;
      return channels.reserve(...asked);
    },
  };
  try {
    const ends = await Promise.all(
      states.map((state) => finishedSetup(service, state, [assetOf('chatapp', newIdentity())])),
    );
    expect(ends.filter((end) => end['code'] !== undefined)).toHaveLength(count);
    expect(reservations).toBeLessThan(3 * count);
  } finally {
    service.stores.channels = channels;
  }
});

test('20 accounts connect the same upstream identity at once: one succeeds, the others get an error', async () => {
  const asset = assetOf('photoapp', newIdentity());
  const states: string[] = [];
  for (let i = 0; i < 20; i += 1) {
    states.push(await openedSetup(service, await newTenant(service), 'photoapp'));
  }
  const ends = await Promise.all(states.map((state) => finishedSetup(service, state, [asset])));
  expect(ends.filter((end) => end['code'] !== undefined)).toHaveLength(1);
  expect(ends.filter((end) => end['error'] === 'claimed_elsewhere')).toHaveLength(19);
});

test('two concurrent PATCHes that set the first webhook_url return one secret: the one that signs', async () => {
  const tenant = await newTenant(service);
  const { id } = await connectedChannel(service, tenant, 'pagechat');
  const patch = { webhookUrl: 'https://hooks.example.com/in' };
  const done = await Promise.all([1, 2].map(() => service.features.updateChannel(tenant, id, patch)));
  const { channel } = await service.features.readChannel(tenant, id);
  const sealed = channel.webhookSecret;
  if (sealed === null) throw new Error('the channel has no secret');
  const secret = service.sealer.openText(sealed, sealContext.webhookSecret(id));
  expect(done.map(({ webhookSecret }) => webhookSecret)).toEqual([secret, secret]);
});
