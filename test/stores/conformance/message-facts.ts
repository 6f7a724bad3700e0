import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { SendState } from '../../../src/rules/messages/message.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { put, putMessages, refused } from './channel-state.ts';
import { known, loaded } from './message-reads.ts';
import { aHeldFact, aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';
import { knownOf } from './views.ts';

const allStates: SendState[] = ['sending', 'queued', 'sent', 'failed', 'abandoned'];

export function describeMessageFacts(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: facts about messages`, () => {
    const store = withStore(open);

    test.each(allStates)('accepted by upstream: a message that was %s is sent', async (state) => {
      const message = aMessage(newId(), { state, rank: 2, error: 'busy', errorCode: 4 });
      await putMessages(store.current, message);
      const accepted = {
        write: 'recordAccepted',
        messageId: message.id,
        upstreamId: 'up.1',
        rank: 1,
        at: noon,
      } as const;
      await put(store.current, message.channelId, accepted, accepted);
      expect(await known(store.current, message)).toEqual({
        ...knownOf(message),
        state: 'sent',
        upstreamIds: ['up.1'],
      });
      expect(await loaded(store.current, message)).toBeNull();
    });

    test.each([
      [0, 1, 1],
      [0, 2, 2],
      [3, 2, 3],
    ])('accepted with rank %i on rank %i leaves rank %i', async (before, rank, after) => {
      const message = aMessage(newId(), { rank: before });
      await putMessages(store.current, message);
      const accepted = {
        write: 'recordAccepted',
        messageId: message.id,
        upstreamId: null,
        rank,
        at: noon,
      } as const;
      await put(store.current, message.channelId, accepted);
      expect(await known(store.current, message)).toEqual({
        ...knownOf(message),
        state: 'sent',
        rank: after,
      });
    });

    test('each new upstream id is added, in order of arrival, and finds the message', async () => {
      const { channelState } = store.current;
      const message = aMessage(newId());
      await putMessages(store.current, message);
      const messageId = message.id;
      await put(
        store.current,
        message.channelId,
        { write: 'recordAccepted', messageId, upstreamId: 'up.b', rank: 0, at: noon },
        { write: 'recordStatus', messageId, status: 'sent', upstreamId: 'up.a', at: noon },
        { write: 'recordStatus', messageId, status: 'sent', upstreamId: 'up.b', at: noon },
        { write: 'recordStatus', messageId, status: 'sent', upstreamId: 'up.c', at: noon },
        { write: 'recordAccepted', messageId, upstreamId: null, rank: 0, at: noon },
      );
      const expected = { ...knownOf(message), state: 'sent', rank: 1, upstreamIds: ['up.b', 'up.a', 'up.c'] };
      for (const upstreamId of ['up.a', 'up.b', 'up.c']) {
        const by = { ids: [], upstreamIds: [upstreamId] };
        expect(await channelState.findMessages(message.channelId, by)).toEqual([expected]);
      }
    });

    test('definitely not sent: back to queued, one copy less, due again', async () => {
      const message = aMessage(newId(), { copies: 1, tries: 2 });
      await putMessages(store.current, message);
      const deferred = {
        write: 'recordDeferred',
        messageId: message.id,
        nextTryAt: noon + 9,
        error: 'pair limit',
        errorCode: 131056,
      } as const;
      await put(store.current, message.channelId, deferred, deferred);
      const after = {
        state: 'queued',
        copies: 0,
        nextTryAt: noon + 9,
        error: 'pair limit',
        errorCode: 131056,
      };
      expect(await loaded(store.current, message)).toEqual({ ...message, ...after });
    });

    test('a second call that is deferred: the time is that of the first, which may have gone out', async () => {
      const message = aMessage(newId(), { copies: 2, tries: 2, attemptedAt: noon + 5 });
      await putMessages(store.current, message);
      const deferred = { nextTryAt: noon + 9, error: 'pair limit', errorCode: 131056, attemptedAt: noon };
      await put(store.current, message.channelId, {
        write: 'recordDeferred',
        messageId: message.id,
        ...deferred,
      });
      expect(await loaded(store.current, message)).toEqual({
        ...message,
        ...deferred,
        state: 'queued',
        copies: 1,
      });
    });

    test('unknown outcome: sending becomes queued, and its copy counts', async () => {
      const message = aMessage(newId());
      await putMessages(store.current, message);
      await put(store.current, message.channelId, { write: 'recordUnknown', messageId: message.id });
      expect(await loaded(store.current, message)).toEqual({ ...message, state: 'queued' });
    });

    test.each(['queued', 'sent', 'failed', 'abandoned'] as const)(
      'deferred and unknown have no effect on a message that is %s',
      async (state) => {
        const message = aMessage(newId(), { state });
        await putMessages(store.current, message);
        const { id: messageId, channelId } = message;
        await put(
          store.current,
          channelId,
          { write: 'recordDeferred', messageId, nextTryAt: noon + 9, error: 'late', errorCode: 1 },
          { write: 'recordUnknown', messageId },
        );
        expect(await known(store.current, message)).toEqual(knownOf(message));
        expect(await loaded(store.current, message)).toEqual(state === 'queued' ? message : null);
      },
    );

    test.each([
      ['sending', 'failed'],
      ['queued', 'failed'],
      ['sent', 'sent'],
    ] as const)('a message that is %s and then fails is %s', async (state, after) => {
      const message = aMessage(newId(), { state, nextTryAt: noon + 1 });
      await putMessages(store.current, message);
      const failed = {
        write: 'recordFailed',
        messageId: message.id,
        error: 'refused',
        errorCode: 131047,
        at: noon,
      } as const;
      await put(store.current, message.channelId, failed);
      expect(await known(store.current, message)).toEqual({ ...knownOf(message), state: after });
      expect(await loaded(store.current, message)).toBeNull();
    });

    test.each([
      ['sent', 0, 1],
      ['delivered', 0, 2],
      ['read', 0, 3],
      ['sent', 3, 3],
      ['delivered', 3, 3],
      ['read', 2, 3],
    ] as const)('status %s on rank %i leaves rank %i', async (status, rank, after) => {
      const message = aMessage(newId(), { state: 'sent', rank });
      await putMessages(store.current, message);
      await put(store.current, message.channelId, {
        write: 'recordStatus',
        messageId: message.id,
        status,
        upstreamId: null,
        at: noon,
      });
      expect(await known(store.current, message)).toEqual({ ...knownOf(message), rank: after });
    });

    test('the time of the last status event never decreases', async () => {
      const message = aMessage(newId(), { statusAt: null });
      await putMessages(store.current, message);
      const { id: messageId } = message;
      const timeAfter = async (write: Write): Promise<unknown> => {
        await put(store.current, message.channelId, write);
        return (await known(store.current, message))?.statusAt;
      };
      const accepted = { write: 'recordAccepted', messageId, upstreamId: 'up.1', rank: 1 } as const;
      const reported = { write: 'recordStatus', messageId, upstreamId: null } as const;
      expect((await known(store.current, message))?.statusAt).toBeNull();
      expect(await timeAfter({ ...accepted, at: noon + 700 })).toBe(noon + 700);
      expect(await timeAfter({ ...reported, status: 'delivered', at: noon })).toBe(noon + 700);
      expect(await timeAfter({ ...reported, status: 'read', at: noon + 1_000 })).toBe(noon + 1_000);
    });

    test('a failed status is stored besides the rank and survives later ones', async () => {
      const message = aMessage(newId(), { state: 'sent', rank: 2 });
      await putMessages(store.current, message);
      const reported = (status: 'failed' | 'read'): Write => ({
        write: 'recordStatus',
        messageId: message.id,
        status,
        upstreamId: null,
        at: noon,
      });
      await put(store.current, message.channelId, reported('failed'));
      expect(await known(store.current, message)).toEqual({ ...knownOf(message), deliveryFailed: true });
      await put(store.current, message.channelId, reported('read'));
      expect(await known(store.current, message)).toEqual({
        ...knownOf(message),
        deliveryFailed: true,
        rank: 3,
      });
    });

    test.each(allStates)(
      'a status of a message that was %s: it is sent unless it is an abandoned marker',
      async (state) => {
        const message = aMessage(newId(), { state });
        await putMessages(store.current, message);
        await put(store.current, message.channelId, {
          write: 'recordStatus',
          messageId: message.id,
          status: 'delivered',
          upstreamId: 'up.1',
          at: noon,
        });
        const after = { state: state === 'abandoned' ? state : 'sent', rank: 2, upstreamIds: ['up.1'] };
        expect(await known(store.current, message)).toEqual({ ...knownOf(message), ...after });
        expect(await loaded(store.current, message)).toBeNull();
      },
    );

    test('the highest status is kept in whatever order 50 writers report them', async () => {
      const message = aMessage(newId());
      await putMessages(store.current, message);
      const statuses = (['read', 'sent', 'delivered', 'failed', 'sent'] as const).flatMap((s) =>
        Array(10).fill(s),
      );
      await Promise.all(
        statuses.map((status) =>
          put(store.current, message.channelId, {
            write: 'recordStatus',
            messageId: message.id,
            status,
            upstreamId: 'up.1',
            at: noon,
          }),
        ),
      );
      const after = { state: 'sent', rank: 3, deliveryFailed: true, upstreamIds: ['up.1'] };
      expect(await known(store.current, message)).toEqual({ ...knownOf(message), ...after });
    });

    test('a fact about an unknown message, or one of another channel, has no effect', async () => {
      const message = aMessage(newId());
      await putMessages(store.current, message);
      const channelId = newId();
      const facts = [message.id, newId()].flatMap((messageId): Write[] => [
        { write: 'recordAccepted', messageId, upstreamId: 'up.1', rank: 1, at: noon },
        { write: 'recordStatus', messageId, status: 'read', upstreamId: 'up.2', at: noon },
        { write: 'recordFailed', messageId, error: 'x', errorCode: null, at: noon },
        { write: 'recordDeferred', messageId, nextTryAt: 1, error: 'x', errorCode: null },
        { write: 'recordUnknown', messageId },
      ]);
      await put(store.current, channelId, ...facts);
      expect(await loaded(store.current, message)).toEqual(message);
      for (const each of [channelId, message.channelId]) {
        const found = await store.current.channelState.findMessages(each, {
          ids: [],
          upstreamIds: ['up.1', 'up.2'],
        });
        expect(found).toEqual([]);
      }
    });

    test('an echo is tracked once: a redelivered one has no effect, and the result says so', async () => {
      const { channelState } = store.current;
      const echo = aMessage(newId(), {
        origin: 'echo',
        state: 'sent',
        content: null,
        rank: 1,
        upstreamIds: ['up.1'],
      });
      await put(store.current, echo.channelId, { write: 'insertEcho', message: echo });
      const again = { write: 'insertEcho', message: { ...echo, rank: 0, recipient: 'x' } } as const;
      expect(await channelState.commit(echo.channelId, 1, [again])).toEqual([refused]);
      const by = { ids: [], upstreamIds: ['up.1'] };
      expect(await channelState.findMessages(echo.channelId, by)).toEqual([knownOf(echo)]);
    });

    test('a fact that is held again under its id replaces the first; dropped ones are gone, of this channel only', async () => {
      const { channelState } = store.current;
      const [channelId, otherId] = [newId(), newId()];
      const first = aHeldFact();
      const kept = aHeldFact({ expiresAt: first.expiresAt + 9 });
      for (const id of [channelId, otherId]) {
        await put(
          store.current,
          id,
          { write: 'keepWaiting', unmatched: first },
          { write: 'keepWaiting', unmatched: kept },
        );
      }
      const replaced = { ...aHeldFact({ id: first.id }), expiresAt: first.expiresAt + 1 };
      await put(store.current, channelId, { write: 'keepWaiting', unmatched: replaced });
      expect((await channelState.load(channelId, 1, noon, 1)).unmatched).toEqual([replaced, kept]);
      await put(store.current, channelId, { write: 'dropWaiting', unmatchedIds: [first.id, newId()] });
      expect((await channelState.load(channelId, 1, noon, 1)).unmatched).toEqual([kept]);
      expect((await channelState.load(otherId, 1, noon, 1)).unmatched).toEqual([first, kept]);
    });

    test('writes of one commit apply in order', async () => {
      const message = aMessage(newId());
      const { id: messageId, channelId } = message;
      await put(
        store.current,
        channelId,
        { write: 'insertMessage', message },
        { write: 'recordDeferred', messageId, nextTryAt: noon, error: 'busy', errorCode: null },
        { write: 'claimCopy', messageId, expect: { copies: 0, tries: 1 }, attemptedAt: noon + 1 },
        { write: 'recordUnknown', messageId },
      );
      const after = { state: 'queued', copies: 1, tries: 2, attemptedAt: noon + 1, error: 'busy' };
      expect(await loaded(store.current, message)).toEqual({ ...message, ...after });
    });
  });
}
