/** Facts of many messages that arrive at once have the effect that each has alone. */
import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { putDeliveries, putMessages } from './channel-state.ts';
import { aDelivery, aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';

type Told = Extract<Write, { write: 'recordStatus' }>;

/** What becomes of the nth message, in order. Values differ, and some look like fields of the document. */
function historyOf({ id: messageId }: OutboundMessage, n: number): Write[] {
  const call = { n: 1, at: noon, endedAt: noon + n, outcome: 'accepted', error: null, code: null } as const;
  const told = (status: Told['status'], at: number, more: Partial<Told> = {}): Told => ({
    write: 'recordStatus',
    messageId,
    status,
    upstreamId: `$up.${n % 4}`,
    at: noon + at + n,
    ...more,
  });
  const upstreamId = n % 5 === 0 ? null : `up.${n}`;
  const all: Write[] = [
    { write: 'recordAccepted', messageId, upstreamId, rank: n % 3, at: noon + n, call: { ...call, traceId: n % 2 === 0 ? `$rank ${n}` : null } },
    told('sent', 100),
    ...(n % 3 === 0 ? [told('delivered', 50)] : []),
    told('delivered', 200),
    told('failed', 400, { why: { error: `$error ${n}`, errorCode: n } }),
    told('read', 300 - 2 * n),
  ]; // oxfmt-ignore
  return n % 7 === 0
    ? [{ write: 'recordDeferred', messageId, nextTryAt: noon + n, error: 'busy', errorCode: null }]
    : all;
}

export function describeFactsTogether(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: facts of many messages at once`, () => {
    const store = withStore(open);
    const commit = (channelId: string, ...writes: Write[]) =>
      store.current.channelState.commit(channelId, 1, writes);

    /** The messages as stored, without what differs between twins. */
    async function stored(messages: readonly OutboundMessage[]): Promise<unknown[]> {
      const found = await Promise.all(messages.map(({ id }) => store.current.stores.messageLog.byId(id)));
      return found.map((each) => ({ ...each, id: '', channelId: '', accountId: '', recipient: '' }));
    }

    test.each([
      ['one channel', 1],
      ['several channels', 5],
    ])('of %s: each message is as if its facts had come alone', async (_of, channels) => {
      const make = (): OutboundMessage[][] =>
        Array.from({ length: channels }, () => {
          const channelId = newId();
          return Array.from({ length: 40 / channels }, () => aMessage(channelId));
        });
      const [together, alone] = [make(), make()];
      for (const each of [...together, ...alone]) await putMessages(store.current, ...each);
      const facts = together.flat().flatMap((message, n) => historyOf(message, n).map((write) => [message, write] as const));
      await Promise.all(facts.map(([{ channelId }, write]) => commit(channelId, write)));
      for (const [n, message] of alone.flat().entries())
        for (const write of historyOf(message, n)) await commit(message.channelId, write);
      expect(await stored(together.flat())).toEqual(await stored(alone.flat()));
    }); // oxfmt-ignore

    test('a fact that names a message of another channel changes nothing, whatever that channel writes', async () => {
      const [mine, theirs] = [aMessage(newId()), aMessage(newId())];
      const others = Array.from({ length: 4 }, () => aMessage(theirs.channelId));
      await putMessages(store.current, mine);
      await putMessages(store.current, theirs, ...others);
      const before = await stored([theirs]);
      const failed = ({ id: messageId }: OutboundMessage): Write => ({
        write: 'recordFailed',
        messageId,
        error: 'No',
        errorCode: 1,
        at: noon,
      });
      await Promise.all([
        ...others.map((message) => commit(message.channelId, failed(message))),
        commit(mine.channelId, failed(mine)),
        commit(mine.channelId, failed(theirs)),
      ]);
      expect(await stored([theirs])).toEqual(before);
      const rest = await stored([mine, ...others]);
      expect(rest).toEqual(rest.map((each) => ({ ...Object(each), state: 'failed', error: 'No' })));
    });

    test('attempts of many deliveries, one of which has ended before: the others are as each attempt says', async () => {
      const channelId = newId();
      const deliveries = Array.from({ length: 20 }, () => aDelivery(channelId));
      await putDeliveries(store.current, ...deliveries);
      const attempt = (deliveryId: string, n: number): Write => ({
        write: 'recordAttempt',
        deliveryId,
        attempt: {
          state: n < 10 ? 'pending' : 'delivered',
          attempts: n + 1,
          firstTriedAt: noon + n,
          nextDueAt: noon + n,
          lastResult: `$${n}`,
          attemptLog: n % 2 === 0 ? null : `[${n}]`,
        },
      });
      await commit(channelId, attempt(deliveries[19]?.id ?? '', 19));
      await Promise.all(deliveries.map(({ id }, n) => commit(channelId, attempt(id, n))));
      const pending = await store.current.channelState.pendingDeliveries(channelId, 100);
      expect(
        pending.map(({ id, attempts, firstTriedAt, attemptLog }) => [id, attempts, firstTriedAt, attemptLog]),
      ).toEqual(
        deliveries.slice(0, 10).map(({ id }, n) => [id, n + 1, noon + n, n % 2 === 0 ? null : `[${n}]`]),
      );
    });
  });
}
