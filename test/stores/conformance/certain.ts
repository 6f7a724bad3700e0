/** A commit is certain before all of it can be read: the next owner of the channel misses nothing. [architecture §5] */
import { describe, expect, test } from '@jest/globals';
import type { Write, WriteResult } from '../../../src/storage/journal/writes.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { applied, put, putMessages } from './channel-state.ts';
import { known } from './message-reads.ts';
import { aDelivery, aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';

type Fact = Extract<Write, { write: 'recordAccepted' | 'recordStatus' | 'recordFailed' }>;

export const accepted = (messageId: string): Fact => ({
  write: 'recordAccepted',
  messageId,
  upstreamId: `up.${messageId}`,
  rank: 1,
  at: noon,
});
const read = (messageId: string): Fact => ({
  write: 'recordStatus',
  messageId,
  status: 'read',
  upstreamId: null,
  at: noon,
});
const failed = (messageId: string): Fact => ({
  write: 'recordFailed',
  messageId,
  error: 'No such number',
  errorCode: 131026,
  at: noon,
});

export const eventOf = (message: OutboundMessage): Delivery =>
  aDelivery(message.channelId, { messageId: message.id });

/** Reads as the next owner does, as soon as the commit reports that it is certain, at the latest with its answer. */
async function nextOwnerAfter(store: OpenJournal, channelId: string, ...writes: Write[]) {
  const { channelState } = store;
  let looking: ReturnType<typeof channelState.load> | null = null;
  const look = () => (looking ??= channelState.load(channelId, 2, noon, 10));
  const results = await channelState.commit(channelId, 1, writes, () => void look());
  return { results, loaded: await look() };
}

export function describeCertainty(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: what is certain before the commit is answered`, () => {
    const store = withStore(open);

    test.each([
      ['accepted', accepted, { state: 'sent', rank: 1 }],
      ['read', read, { state: 'sent', rank: 3 }],
      ['failed', failed, { state: 'failed', rank: 0 }],
    ])(
      '%s, with its event: the next owner reads that state of the message, and the event',
      async (_name, fact, is) => {
        const message = aMessage(newId());
        const { id, channelId } = message;
        await putMessages(store.current, message);
        const delivery = eventOf(message);
        const writes: Write[] = [{ write: 'insertDelivery', delivery }, fact(id)];
        const { results, loaded } = await nextOwnerAfter(store.current, channelId, ...writes);
        expect(results).toEqual([applied, applied]);
        expect(loaded.openMessages).toEqual([]);
        expect(loaded.deliveries.map((each) => each.id)).toEqual([delivery.id]);
        expect(await known(store.current, message)).toMatchObject(is);
      },
    );

    test('many facts with some events, in one commit: each is applied to its message', async () => {
      const channelId = newId();
      const messages = Array.from({ length: 20 }, () => aMessage(channelId));
      await putMessages(store.current, ...messages);
      const writes: Write[] = [
        ...messages.slice(0, 5).map((message) => ({
          write: 'insertDelivery' as const,
          delivery: eventOf(message),
        })),
        ...messages.map(({ id }) => accepted(id)),
        ...messages.slice(10).map(({ id }) => read(id)),
      ];
      const { loaded } = await nextOwnerAfter(store.current, channelId, ...writes);
      expect(loaded.openMessages).toEqual([]);
      const ranks = await Promise.all(messages.map((message) => known(store.current, message)));
      expect(ranks.map((each) => each?.rank)).toEqual(messages.map((_, n) => (n < 10 ? 1 : 3)));
    });

    test('an event that was stored before makes nothing certain that is new', async () => {
      const message = aMessage(newId());
      const { id, channelId } = message;
      await putMessages(store.current, message);
      const insert: Write = { write: 'insertDelivery', delivery: eventOf(message) };
      await put(store.current, channelId, insert);
      const seen: (readonly WriteResult[])[] = [];
      const results = await store.current.channelState.commit(channelId, 1, [insert, accepted(id)], (all) =>
        seen.push(all),
      );
      expect(seen).toEqual([]);
      expect(results).toEqual([{ applied: false }, applied]);
      expect(await known(store.current, message)).toMatchObject({ state: 'sent' });
    });

    test('what was applied once is not applied again: a later owner leaves the message as it is by then', async () => {
      const message = aMessage(newId());
      const { id, channelId } = message;
      await putMessages(store.current, message);
      const insert: Write = { write: 'insertDelivery', delivery: eventOf(message) };
      await nextOwnerAfter(store.current, channelId, insert, accepted(id));
      await put(store.current, channelId, read(id));
      for (const epoch of [3, 4]) await store.current.channelState.load(channelId, epoch, noon, 10);
      expect(await known(store.current, message)).toMatchObject({ state: 'sent', rank: 3 });
    });
  });
}
