import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { applied, putMessages, refused } from './channel-state.ts';
import { known, loaded } from './message-reads.ts';
import { aDelivery, aHeldFact, aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';
import { knownOf } from './views.ts';

export function describeMessageIntents(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: claims of messages`, () => {
    const store = withStore(open);

    test('the first insert of an id wins, whichever channel it belongs to', async () => {
      const { channelState } = store.current;
      const first = aMessage(newId());
      await putMessages(store.current, first);
      const marker = { ...first, state: 'abandoned', content: null, recipient: 'other' } as const;
      const here = await channelState.commit(first.channelId, 1, [
        { write: 'insertMessage', message: marker },
      ]);
      const elsewhere = { ...marker, channelId: newId() };
      const there = await channelState.commit(elsewhere.channelId, 1, [
        { write: 'insertMessage', message: elsewhere },
      ]);
      expect([here, there]).toEqual([[refused], [refused]]);
      expect(await loaded(store.current, first)).toEqual(first);
    });

    test('a message that is postponed without a call is queued with no copy, and can be claimed then', async () => {
      const { channelState } = store.current;
      const none = { copies: 0, tries: 0 };
      const parked = aMessage(newId(), { ...none, state: 'queued', nextTryAt: noon + 5, error: 'paused' });
      await putMessages(store.current, parked);
      expect(await loaded(store.current, parked)).toEqual(parked);
      const { channelId, id: messageId } = parked;
      const claim: Write = { write: 'claimCopy', messageId, expect: none, attemptedAt: noon + 6 };
      expect(await channelState.commit(channelId, 1, [claim])).toEqual([applied]);
      expect(await channelState.commit(channelId, 1, [claim])).toEqual([refused]);
      const called = {
        state: 'sending',
        copies: 1,
        tries: 1,
        attemptedAt: noon + 6,
        nextTryAt: null,
      } as const;
      expect(await loaded(store.current, parked)).toEqual({ ...parked, ...called });
    });

    test('an id raced by 50 inserts has one winner', async () => {
      const message = aMessage(newId());
      const results = await Promise.all(
        Array.from({ length: 50 }, () =>
          store.current.channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]),
        ),
      );
      expect(results.flat().filter((result) => result.applied)).toHaveLength(1);
    });

    test.each(['sending', 'queued'] as const)(
      'a copy of a %s message is claimed while the counts match',
      async (state) => {
        const { channelState } = store.current;
        const message = aMessage(newId(), { state, copies: 1, tries: 3, nextTryAt: noon + 5 });
        await putMessages(store.current, message);
        const claim = (copies: number, tries: number): Write => ({
          write: 'claimCopy',
          messageId: message.id,
          expect: { copies, tries },
          attemptedAt: noon + 7,
        });
        const writes = [claim(0, 3), claim(1, 2), claim(1, 3), claim(1, 3)];
        const results = await channelState.commit(message.channelId, 1, writes);
        expect(results).toEqual([refused, refused, applied, refused]);
        const after = { state: 'sending', copies: 2, tries: 4, attemptedAt: noon + 7, nextTryAt: null };
        expect(await loaded(store.current, message)).toEqual({ ...message, ...after });
      },
    );

    test.each(['sent', 'failed', 'abandoned'] as const)(
      'no copy of a message that is %s can be claimed',
      async (state) => {
        const message = aMessage(newId(), { state });
        await putMessages(store.current, message);
        const claim: Write = {
          write: 'claimCopy',
          messageId: message.id,
          expect: { copies: 1, tries: 1 },
          attemptedAt: noon,
        };
        expect(await store.current.channelState.commit(message.channelId, 1, [claim])).toEqual([refused]);
      },
    );

    test('a claim of an unknown message, or one of another channel, does not apply and has no effect on the commit', async () => {
      const { channelState } = store.current;
      const message = aMessage(newId());
      await putMessages(store.current, message);
      const channelId = newId();
      const mine = aMessage(channelId);
      const expected = { copies: 1, tries: 1 };
      const results = await channelState.commit(channelId, 1, [
        { write: 'claimCopy', messageId: message.id, expect: expected, attemptedAt: noon + 1 },
        { write: 'claimCopy', messageId: newId(), expect: expected, attemptedAt: noon + 1 },
        { write: 'insertMessage', message: mine },
      ]);
      expect(results).toEqual([refused, refused, applied]);
      expect(await loaded(store.current, message)).toEqual(message);
      expect(await loaded(store.current, mine)).toEqual(mine);
    });

    test('a claim raced by 50 has one winner', async () => {
      const message = aMessage(newId());
      await putMessages(store.current, message);
      const claim: Write = {
        write: 'claimCopy',
        messageId: message.id,
        expect: { copies: 1, tries: 1 },
        attemptedAt: noon,
      };
      const results = await Promise.all(
        Array.from({ length: 50 }, () => store.current.channelState.commit(message.channelId, 1, [claim])),
      );
      expect(results.flat().filter((result) => result.applied)).toHaveLength(1);
    });

    test('a claim under a lower epoch than the stored one is fenced; under a higher one its epoch is stored', async () => {
      const { channelState } = store.current;
      const message = aMessage(newId(), { epoch: 5 });
      await channelState.commit(message.channelId, 5, [{ write: 'insertMessage', message }]);
      const claim: Write = {
        write: 'claimCopy',
        messageId: message.id,
        expect: { copies: 1, tries: 1 },
        attemptedAt: noon + 1,
      };
      await expect(channelState.commit(message.channelId, 4, [claim])).rejects.toThrow(FencedError);
      expect(await channelState.commit(message.channelId, 6, [claim])).toEqual([applied]);
      const again: Write = { ...claim, expect: { copies: 2, tries: 2 } };
      await expect(channelState.commit(message.channelId, 5, [again])).rejects.toThrow(FencedError);
    });

    test('facts in a commit with a fenced claim are stored, whoever reports them', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const [one, other] = [aMessage(channelId), aMessage(channelId)];
      await putMessages(store.current, one, other);
      await channelState.load(channelId, 9, noon, 1);
      const commit = channelState.commit(channelId, 1, [
        { write: 'claimCopy', messageId: one.id, expect: { copies: 1, tries: 1 }, attemptedAt: noon + 1 },
        { write: 'recordAccepted', messageId: other.id, upstreamId: 'up.late', rank: 1, at: noon },
      ]);
      await expect(commit).rejects.toThrow(FencedError);
      expect(await known(store.current, one)).toEqual(knownOf(one));
      expect(await known(store.current, other)).toMatchObject({ state: 'sent', upstreamIds: ['up.late'] });
    });

    test('a commit of facts alone is never fenced', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const message = aMessage(channelId);
      await putMessages(store.current, message);
      await channelState.load(channelId, 9, noon, 1);
      const results = await channelState.commit(channelId, 1, [
        { write: 'recordStatus', messageId: message.id, status: 'read', upstreamId: 'up.1', at: noon },
        { write: 'insertDelivery', delivery: aDelivery(channelId) },
        { write: 'keepWaiting', unmatched: aHeldFact() },
      ]);
      expect(results).toEqual([applied, applied, applied]);
      expect(await known(store.current, message)).toMatchObject({ state: 'sent', rank: 3 });
    });
  });
}
