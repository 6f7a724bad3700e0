import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { EndedCall, OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { MessageRecord } from '../../../src/features/messages/timeline-rules.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { put, putMessages } from './channel-state.ts';
import { aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';

function asRecord({ content: _content, ...record }: OutboundMessage): MessageRecord {
  return record;
}

const ended = (n: number, more: Partial<EndedCall>): EndedCall => ({
  n,
  at: noon + n,
  endedAt: noon + n + 5,
  outcome: 'deferred',
  error: 'Too $fast; "wait"',
  code: 131056,
  traceId: 'AbC',
  ...more,
});

export function describeMessageLog(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: the history of a message`, () => {
    const store = withStore(open);

    const read = ({ id }: OutboundMessage) => store.current.stores.messageLog.byId(id);
    async function after(message: OutboundMessage, ...writes: Write[]): Promise<MessageRecord | null> {
      await putMessages(store.current, message);
      await put(store.current, message.channelId, ...writes);
      return read(message);
    }

    test('a message is found in its account and channel only, without its content', async () => {
      const message = aMessage(newId());
      await putMessages(store.current, message);
      const { messageLog } = store.current.stores;
      const { id, channelId, accountId } = message;
      expect(await messageLog.find({ id, channelId, accountId })).toEqual(asRecord(message));
      expect(await messageLog.find({ id, channelId, accountId: newId() })).toBeNull();
      expect(await messageLog.find({ id, channelId: newId(), accountId })).toBeNull();
      expect(await messageLog.byId(id)).toEqual(asRecord(message));
      expect(await messageLog.byId(newId())).toBeNull();
    });

    test('each status keeps the first reported time, in whatever order they come', async () => {
      const message = aMessage(newId());
      const { id: messageId } = message;
      const told = (status: 'sent' | 'delivered' | 'read', at: number): Write => ({
        write: 'recordStatus',
        messageId,
        status,
        upstreamId: null,
        at,
      });
      const found = await after(
        message,
        { write: 'recordAccepted', messageId, upstreamId: 'up.1', rank: 1, at: noon + 10 },
        told('read', noon + 40),
        told('delivered', noon + 30),
        told('delivered', noon + 35),
        told('sent', noon + 20),
      );
      const times = { sentAt: noon + 10, deliveredAt: noon + 30, readAt: noon + 40, failedAt: null };
      expect(found).toMatchObject({ ...times, state: 'sent', rank: 3, calls: null });
    });

    test('accepted with a rank beyond sent: both times are stored', async () => {
      const message = aMessage(newId());
      const { id: messageId } = message;
      const found = await after(message, {
        write: 'recordAccepted',
        messageId,
        upstreamId: 'up.1',
        rank: 2,
        at: noon + 10,
      });
      expect(found).toMatchObject({ sentAt: noon + 10, deliveredAt: noon + 10, readAt: null });
    });

    test('a failed delivery keeps its time and reason, also if it is reported before the answer', async () => {
      const message = aMessage(newId());
      const { id: messageId } = message;
      const failed: Write = {
        write: 'recordStatus',
        messageId,
        status: 'failed',
        upstreamId: 'up.1',
        at: noon + 9,
        why: { error: 'Not $reachable', errorCode: 131026 },
      };
      const found = await after(message, failed, {
        write: 'recordAccepted',
        messageId,
        upstreamId: 'up.1',
        rank: 1,
        at: noon + 10,
      });
      const why = { error: 'Not $reachable', errorCode: 131026 };
      expect(found).toMatchObject({ ...why, failedAt: noon + 9, sentAt: noon + 10, deliveryFailed: true });
    });

    test('every call that was not the only one keeps its times and its outcome', async () => {
      const message = aMessage(newId(), { attemptedAt: noon + 1 });
      const { id: messageId } = message;
      const refused = ended(3, { outcome: 'refused', code: 131026 });
      const found = await after(
        message,
        {
          write: 'recordDeferred',
          messageId,
          nextTryAt: noon + 2,
          error: 'Too fast',
          errorCode: 131056,
          call: ended(1, {}),
        },
        {
          write: 'claimCopy',
          messageId,
          expect: { copies: 0, tries: 1 },
          attemptedAt: noon + 2,
          before: { n: 1, at: noon + 1 },
        },
        { write: 'recordUnknown', messageId, call: ended(2, { outcome: 'unknown', code: null }) },
        {
          write: 'claimCopy',
          messageId,
          expect: { copies: 1, tries: 2 },
          attemptedAt: noon + 3,
          before: { n: 2, at: noon + 2 },
        },
        {
          write: 'recordFailed',
          messageId,
          error: 'Not reachable',
          errorCode: 131026,
          at: noon + 8,
          call: refused,
        },
      );
      const entry = ({ n: _n, ...call }: EndedCall) => call;
      expect(found).toMatchObject({ state: 'failed', failedAt: noon + 8, tries: 3 });
      expect(found?.calls).toEqual({
        1: entry(ended(1, {})),
        2: entry(ended(2, { outcome: 'unknown', code: null })),
        3: entry(refused),
      });
    });

    test('a call whose end no owner recorded keeps its start; a later accepted call is logged', async () => {
      const message = aMessage(newId(), { attemptedAt: noon + 1 });
      const { id: messageId } = message;
      const taken = ended(2, { outcome: 'accepted', error: null, code: null, traceId: null });
      const found = await after(
        message,
        {
          write: 'claimCopy',
          messageId,
          expect: { copies: 1, tries: 1 },
          attemptedAt: noon + 2,
          before: { n: 1, at: noon + 1 },
        },
        { write: 'recordAccepted', messageId, upstreamId: 'up.2', rank: 1, at: noon + 7, call: taken },
      );
      const { n: _n, ...entry } = taken;
      const unseen = { at: noon + 1, endedAt: null, outcome: 'unknown', error: null, code: null };
      expect(found?.calls).toEqual({ 1: { ...unseen, traceId: null }, 2: entry });
    });
  });
}
