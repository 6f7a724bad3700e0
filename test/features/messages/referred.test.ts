/** [spec: Additions] A message that a send refers to: what upstream has given it, once that is on record. */
import { beforeEach, expect, test } from '@jest/globals';
import { requireOfPerson, requireReceived } from '../../../src/features/messages/referred.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import { aDelivery, aMessage } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
let clock: FakeClock;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  clock = new FakeClock();
});

/** Asks for the upstream id of a message that is `sending`. */
async function askForSending() {
  const message = aMessage(channel.id, { accountId: channel.accountId });
  const { id, recipient } = message;
  await service.channelState.commit(channel.id, 1, [{ write: 'insertMessage', message }]);
  const world = { stores: service.stores, clock };
  return { id, found: requireOfPerson(world, channel, { field: 'reply_to', id, recipient }) };
}

test('a message whose acceptance is on record only after its answer is found', async () => {
  const { id, found } = await askForSending();
  await until('the message to be read', () => clock.pending === 1);
  const at = clock.now();
  await service.channelState.commit(channel.id, 1, [
    { write: 'recordAccepted', messageId: id, upstreamId: 'wamid.1', rank: 1, at },
  ]);
  clock.advance(20);
  expect(await found).toBe('wamid.1');
});

test('a message that stays under way is not_sent after a second and a half', async () => {
  const { found } = await askForSending();
  const refused = expect(found).rejects.toMatchObject({ code: 'unknown_message' });
  for (const pauseMs of [20, 80, 300, 1_000]) {
    await until('the message to be read', () => clock.untilNext === pauseMs);
    clock.advance(pauseMs);
  }
  await refused;
});

/** A received message of which this endpoint alone was told. */
async function toldTo(endpointId: string): Promise<string> {
  const [ownerId, messageId] = [ownerOf(channel.id, endpointId), newId()];
  const id = makeDeliveryId(ownerId, messageId, 'message.received');
  const { accountId } = channel;
  const about = { id, accountId, messageId, event: 'message.received', upstreamId: 'wamid.1' } as const;
  await service.channelState.commit(ownerId, 1, [
    { write: 'insertDelivery', delivery: aDelivery(ownerId, about) },
  ]);
  return messageId;
}

test('former endpoints are looked for only if no current one was told of the message', async () => {
  const settings = { url: 'https://crm.example/in', events: ['message.received'] };
  const { endpoint } = await service.features.addEndpoint(tenant, channel.id, settings);
  const { referred } = service.stores;
  const asked: string[] = [];
  const watched = {
    ...referred,
    delivered(owner: Parameters<typeof referred.delivered>[0], messageId: string) {
      asked.push(owner.ownerId);
      return referred.delivered(owner, messageId);
    },
    loggedOwners(channelId: string) {
      asked.push('log');
      return referred.loggedOwners(channelId);
    },
  };
  const world = { stores: { ...service.stores, referred: watched }, clock };
  const place = { ...channel, hasEndpoints: true };
  const [toCurrent, former] = [await toldTo(endpoint.id), newId()];
  const toFormer = await toldTo(former);
  expect(await requireReceived(world, place, toCurrent)).toMatchObject({ upstreamId: 'wamid.1' });
  expect(asked.splice(0)).toEqual([channel.id, ownerOf(channel.id, endpoint.id)]);
  expect(await requireReceived(world, place, toFormer)).toMatchObject({ upstreamId: 'wamid.1' });
  expect(asked).toEqual([channel.id, ownerOf(channel.id, endpoint.id), 'log', ownerOf(channel.id, former)]);
});
