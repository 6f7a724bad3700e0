/** A status that names the channel's type, which may save the store a read, has the effect of one that does not. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { put, putMessages } from './channel-state.ts';
import { loaded } from './message-reads.ts';
import { aMessage, noon, sealedBytes } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';

type Told = [status: Extract<Write, { write: 'recordStatus' }>['status'], at: number, upstreamId?: string];

/** What upstream reports after an acceptance at `noon + 1000`, in order. */
const reports: Record<string, Told[]> = {
  'in turn': [
    ['sent', 0],
    ['delivered', 2_000],
    ['read', 3_000],
  ],
  'in turn, each twice': [
    ['sent', 0],
    ['sent', 0],
    ['delivered', 2_000],
    ['delivered', 2_500],
    ['read', 3_000],
    ['read', 2_900],
  ],
  backwards: [
    ['read', 3_000],
    ['delivered', 2_000],
    ['sent', 0],
  ],
  'of a later clock': [
    ['sent', 5_000],
    ['delivered', 4_000],
  ],
  'under another upstream id': [
    ['sent', 0, 'up.2'],
    ['delivered', 2_000, 'up.2'],
  ],
  'of a failure, then of a delivery': [
    ['failed', 2_000],
    ['delivered', 3_000],
  ],
};

export function describeStatuses(name: string, open: Open<OpenJournal>): void {
  describe.each(['chatapp', 'photoapp', 'pagechat'] as const)(`${name}: statuses on %s`, (channelType) => {
    const store = withStore(open);

    async function reportedAs(own: object, told: readonly Told[], isAccepted: boolean) {
      const message = aMessage(newId(), { channelType, accountId: 'account', content: sealedBytes('hello') });
      const { id: messageId, channelId, recipient } = message;
      await putMessages(store.current, message);
      const accepted = { write: 'recordAccepted', messageId, upstreamId: 'up.1', rank: 1 } as const;
      if (isAccepted) await put(store.current, channelId, { ...accepted, at: noon + 1_000 });
      for (const [status, at, upstreamId = 'up.1'] of told)
        await put(store.current, channelId, {
          write: 'recordStatus',
          messageId,
          status,
          upstreamId,
          at: noon + at,
          ...own,
        });
      const { channelState, stores } = store.current;
      const unread = { recipient, upTo: noon, belowRank: 3, limit: 5 };
      const ids = { ids: [], upstreamIds: ['up.1', 'up.2'] };
      // When nothing else of a message changes, a store may leave `statusAt` as it is.
      const same = { id: '', channelId: '', statusAt: null };
      return {
        record: { ...(await stores.messageLog.byId(messageId)), ...same },
        found: (await channelState.findMessages(channelId, ids)).length,
        unread: (await channelState.findBelowRank(channelId, unread)).length,
        open: await loaded(store.current, message),
      };
    }

    test.each(Object.keys(reports).flatMap((told) => [[told, true] as const, [told, false] as const]))(
      '%s; accepted before: %s',
      async (told, isAccepted) => {
        const named = await reportedAs({ channelType }, reports[told] ?? [], isAccepted);
        expect(named).toEqual(await reportedAs({}, reports[told] ?? [], isAccepted));
      },
    );
  });
}
