/** Messages that a send refers to by our id. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import { put, putMessages } from './channel-state.ts';
import { aDelivery, aMessage } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describeReferred(name: string, open: Open): void {
  describe(`${name}: messages that are answered`, () => {
    const store = withStore(open);

    test('what answers refer to: a sent message, and a delivered one, in their account and channel only; and whose log there is', async () => {
      const { referred } = store.current.stores;
      const message = aMessage(newId(), { upstreamIds: ['wamid.1'] });
      const { channelId, accountId, recipient, state } = message;
      await putMessages(store.current, message);
      const here = { id: channelId, ownerId: channelId, accountId };
      expect(await referred.sent(here, message.id)).toEqual({ recipient, state, upstreamIds: ['wamid.1'] });
      const messageId = newId();
      for (const [event, of] of [
        ['message.echo', messageId],
        ['message.received', `${messageId}.2`],
      ] as const) {
        const id = makeDeliveryId(channelId, of, event);
        const about = { accountId, event, messageId: of, person: '4917', upstreamId: 'wamid.2' };
        await put(store.current, channelId, {
          write: 'insertDelivery',
          delivery: aDelivery(channelId, { id, ...about }),
        });
        expect(await referred.delivered(here, of)).toEqual({ event, person: '4917', upstreamId: 'wamid.2' });
      }
      expect(await referred.loggedOwners(channelId)).toEqual([]);
      const owners = [newId(), newId()].map((endpointId) => ownerOf(channelId, endpointId)).toSorted();
      for (const ownerId of [...owners, ownerOf(newId(), newId())])
        await put(store.current, ownerId, {
          write: 'insertDelivery',
          delivery: aDelivery(ownerId, { accountId }),
        });
      expect(await referred.loggedOwners(channelId)).toEqual(owners);
      for (const elsewhere of [
        { ...here, accountId: newId() },
        { ...here, id: newId(), ownerId: newId() },
      ]) {
        expect(await referred.sent(elsewhere, message.id)).toBeNull();
        expect(await referred.delivered(elsewhere, messageId)).toBeNull();
      }
    });
  });
}
