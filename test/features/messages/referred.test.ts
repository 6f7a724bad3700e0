/** [spec: Additions] A message that a send refers to: what upstream has given it, once that is on record. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { requireOfPerson } from '../../../src/features/messages/referred.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import { aMessage } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant, openService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let service: Service;
let channel: Channel;
let clock: FakeClock;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  channel = await connectedChannel(service, await newTenant(service), 'chatapp');
  clock = new FakeClock();
});
afterAll(() => service.close());

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
