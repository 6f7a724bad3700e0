import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { putDeliveries, putMessages } from './channel-state.ts';
import { aDelivery, aMessage, idsOf, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { MessageListQuery } from '../../../src/features/messages/list-store.ts';

export function describeMessageList(name: string, open: Open): void {
  describe(`${name}: lists of messages`, () => {
    const store = withStore(open);

    const askedOf = (accountId: string, over: Partial<MessageListQuery> = {}): MessageListQuery => ({
      accountId,
      channelId: null,
      person: null,
      since: 0,
      before: { createdAt: noon + 1_000_000, id: '' },
      limit: 100,
      ...over,
    });

    /** Two messages to each of two people on each of two channels, made one ms apart, and one of another account. */
    async function sent() {
      const [accountId, one, two] = [newId(), newId(), newId()];
      const places = [
        [one, 'ada'],
        [two, 'ada'],
        [one, 'bob'],
        [two, 'bob'],
      ] as const;
      const all = [...places, ...places].map(([channelId, recipient], n) =>
        aMessage(channelId, { accountId, recipient, createdAt: noon + n }),
      );
      const foreign = aMessage(one, { recipient: 'ada' });
      for (const message of [...all, foreign]) await putMessages(store.current, message);
      return { accountId, one, two, all };
    }

    test('people are found by the beginning of their number, of this account alone, each once', async () => {
      const accountId = newId();
      const made = { accountId, createdAt: noon };
      for (const recipient of ['491701', '491702', '491702', '1555'])
        await putMessages(store.current, aMessage(newId(), { ...made, recipient }));
      await putMessages(store.current, aMessage(newId(), { recipient: '491709' }));
      for (const person of ['491700', '491702'])
        await putDeliveries(store.current, aDelivery(newId(), { ...made, person, messageType: 'text' }));
      const { messageList } = store.current.stores;
      const people = (...asked: [string, string, number]) => messageList.people(...asked);
      expect(await people(accountId, '4917', 10)).toEqual(['491700', '491701', '491702']);
      expect(await people(accountId, '4917', 2)).toEqual(['491700', '491701']);
      expect(await people(accountId, '491702', 10)).toEqual(['491702']);
      expect(await people(accountId, '2', 10)).toEqual([]);
    });

    test('sent messages of all channels of the account are listed newest first, with their state', async () => {
      const { accountId, all } = await sent();
      const found = await store.current.stores.messageList.sent(askedOf(accountId));
      expect(idsOf(found)).toEqual(idsOf(all.toReversed()));
      const { id, channelId, channelType, origin, recipient, messageType, state, rank, deliveryFailed } =
        all.at(-1)!;
      const last = {
        id,
        channelId,
        channelType,
        origin,
        recipient,
        messageType,
        state,
        rank,
        deliveryFailed,
      };
      expect(found[0]).toMatchObject({ ...last, createdAt: noon + 7 });
    });

    test('by channel, by person; since a time, before a place, up to a limit', async () => {
      const { accountId, one, all } = await sent();
      const { messageList } = store.current.stores;
      const places = async (over: Partial<MessageListQuery>): Promise<number[]> => {
        const found = await messageList.sent(askedOf(accountId, over));
        return found.map(({ id }) => all.findIndex((message) => message.id === id));
      };
      expect(await places({ channelId: one })).toEqual([6, 4, 2, 0]);
      expect(await places({ person: 'ada' })).toEqual([5, 4, 1, 0]);
      expect(await places({ person: 'nobody' })).toEqual([]);
      for (const over of [{}, { channelId: one }, { person: 'ada' }]) {
        const every = await places(over);
        const middle = all[every[1] ?? -1]!;
        expect(await places({ ...over, since: middle.createdAt })).toEqual(every.slice(0, 2));
        expect(await places({ ...over, before: middle })).toEqual(every.slice(2));
        expect(await places({ ...over, before: { createdAt: middle.createdAt, id: '' } })).toEqual(
          every.slice(2),
        );
        expect(await places({ ...over, limit: 1 })).toEqual(every.slice(0, 1));
      }
    });

    test('messages of the same millisecond are ordered by their ids', async () => {
      const [accountId, channelId] = [newId(), newId()];
      const made = Array.from({ length: 5 }, () => aMessage(channelId, { accountId }));
      const brought = made.map(() => aDelivery(channelId, { accountId, messageType: 'text' }));
      await putMessages(store.current, ...made);
      await putDeliveries(store.current, ...brought);
      const { messageList } = store.current.stores;
      for (const [all, list] of [
        [made, (query: MessageListQuery) => messageList.sent(query)],
        [brought, (query: MessageListQuery) => messageList.delivered(query)],
      ] as const) {
        const ids = idsOf(all).toSorted().toReversed();
        for (const over of [{}, { channelId }, { person: '491701234567' }]) {
          const [first, second] = await list(askedOf(accountId, { ...over, limit: 2 }));
          expect([first?.id, second?.id]).toEqual(ids.slice(0, 2));
          const rest = await list(askedOf(accountId, { ...over, before: second! }));
          expect(idsOf(rest)).toEqual(ids.slice(2));
        }
      }
    });

    test('received messages are listed by their deliveries; a status is no message', async () => {
      const [accountId, one, two] = [newId(), newId(), newId()];
      const bringing = { accountId, event: 'message.received', messageType: 'image' } as const;
      const all = [
        aDelivery(one, { ...bringing, person: 'ada', createdAt: noon }),
        aDelivery(two, { ...bringing, person: 'ada', createdAt: noon + 1 }),
        aDelivery(one, { ...bringing, person: 'bob', event: 'message.echo', createdAt: noon + 2 }),
      ];
      const status = aDelivery(one, { accountId, person: 'ada', createdAt: noon + 3 });
      const foreign = aDelivery(one, { ...bringing, accountId: newId(), person: 'ada' });
      for (const delivery of [...all, status, foreign]) await putDeliveries(store.current, delivery);
      const { messageList } = store.current.stores;
      const places = async (over: Partial<MessageListQuery>): Promise<number[]> => {
        const found = await messageList.delivered(askedOf(accountId, over));
        return found.map(({ id }) => all.findIndex((delivery) => delivery.id === id));
      };
      expect(await places({})).toEqual([2, 1, 0]);
      // Statuses are among a channel's deliveries.
      expect((await places({ channelId: one })).filter((place) => place >= 0)).toEqual([2, 0]);
      expect(await places({ person: 'ada' })).toEqual([1, 0]);
      expect(await places({ since: noon + 1, before: all[2]! })).toEqual([1]);
      const [newest] = await messageList.delivered(askedOf(accountId));
      const { id, messageId } = all[2]!;
      const about = { id, channelId: one, event: 'message.echo', messageId, person: 'bob' };
      expect(newest).toMatchObject({ ...about, messageType: 'image', createdAt: noon + 2 });
    });

    test('given ids, of this account only', async () => {
      const { accountId, all } = await sent();
      const { messageList } = store.current.stores;
      const foreign = aMessage(newId());
      await putMessages(store.current, foreign);
      const asked = [all[0]!.id, foreign.id, newId()];
      expect(idsOf(await messageList.among(accountId, asked))).toEqual([all[0]!.id]);
    });
  });
}
