/** An acceptance that names the channel's type, which may save the store a read, has the effect of one that does not. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { put, putMessages } from './channel-state.ts';
import { loaded } from './message-reads.ts';
import { aMessage, noon, sealedBytes } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';

const firstClaimed = { statusAt: null };
const reported = (messageId: string): Write => ({
  write: 'recordStatus',
  messageId,
  status: 'delivered',
  upstreamId: 'up.0',
  at: noon + 1,
});
const deferred = (messageId: string): Write => ({
  write: 'recordDeferred',
  messageId,
  nextTryAt: noon + 9,
  error: 'busy',
  errorCode: 4,
});

const standings: Record<string, { over: Partial<OutboundMessage>; before: (id: string) => Write[] }> = {
  'as its first claim left it': { over: firstClaimed, before: () => [] },
  'with a long text': {
    over: { ...firstClaimed, content: sealedBytes('hello'.repeat(80)) },
    before: () => [],
  },
  'reported before': { over: firstClaimed, before: (id) => [reported(id)] },
  deferred: { over: firstClaimed, before: (id) => [deferred(id)] },
  'of a second call': {
    over: { tries: 2, statusAt: noon - 5, error: 'busy', errorCode: 4 },
    before: () => [],
  },
};

export function describeAcceptances(name: string, open: Open<OpenJournal>): void {
  describe.each(['chatapp', 'photoapp', 'pagechat'] as const)(`${name}: acceptances on %s`, (channelType) => {
    const store = withStore(open);
    const rank = kindOf(channelType).rankOnAccept;

    async function acceptedAs(own: object, standing: keyof typeof standings) {
      const { over = {}, before } = standings[standing] ?? {};
      const message = aMessage(newId(), { channelType, accountId: 'account', ...over });
      const { id: messageId, channelId, recipient } = message;
      await putMessages(store.current, message);
      const accepted = {
        write: 'recordAccepted',
        messageId,
        upstreamId: 'up.1',
        rank,
        at: noon + 3,
      } as const;
      await put(store.current, channelId, ...(before?.(messageId) ?? []), { ...accepted, ...own });
      const { channelState, stores } = store.current;
      const unread = { recipient, upTo: noon, belowRank: 3, limit: 5 };
      const [byUpstreamId, below] = [
        await channelState.findMessages(channelId, { ids: [], upstreamIds: ['up.1'] }),
        await channelState.findBelowRank(channelId, unread),
      ];
      const record = await stores.messageLog.byId(messageId);
      const isFound = byUpstreamId[0]?.id === messageId;
      const none = { id: '', channelId: '' };
      return {
        record: { ...record, ...none },
        isFound,
        unread: below.length,
        open: await loaded(store.current, message),
      };
    }

    test.each(Object.keys(standings))('a message %s', async (standing) => {
      const named = await acceptedAs({ channelType }, standing);
      expect(named).toEqual(await acceptedAs({}, standing));
      expect(named).toMatchObject({ record: { state: 'sent', sentAt: noon + 3 }, isFound: true, open: null });
    });
  });
}
