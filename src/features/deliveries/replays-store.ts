/** Replays of deliveries, as clients requested them. */
import { newestFirst } from '../../kernel/paging.ts';
import { insertNew } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { hasRoom } from '../../storage/bounds.ts';
import { replays as replaysEntity } from './entity.ts';
import type { Replay } from './entity.ts';

export function replayStore(recordsOf: RecordsOf) {
  const replays = recordsOf(replaysEntity);
  /** Open replays of a channel, oldest first. */
  const allOpen = (channelId: string, limit: number): Promise<Replay[]> =>
    replays.list({ by: 'open', equal: { channelId }, range: { on: 'openSince', from: 0 }, limit });
  return {
    /** False, and nothing is kept, when `max` of the channel have not ended, however many race. */
    async begin(replay: Replay, max: number): Promise<boolean> {
      await insertNew(replays, replay);
      const { id, channelId } = replay;
      if (await hasRoom({ id, max }, () => allOpen(channelId, max + 1))) return true;
      await replays.remove({ id });
      return false;
    },
    allOpen,
    open: async (channelId: string): Promise<Replay | null> => (await allOpen(channelId, 1))[0] ?? null,
    async end(id: string): Promise<void> {
      await replays.patch({ which: { id }, change: { set: { openSince: null } } });
    },
    /** Channels with an open replay, by id, the first `limit` after `after`. */
    channels: (after: string, limit: number): Promise<string[]> => replays.firsts('open', after, limit),
    /** The newest replay. */
    async latest({ channelId, accountId }: { channelId: string; accountId: string }): Promise<Replay | null> {
      const [last] = await replays.list({
        by: 'ofChannel',
        equal: { channelId },
        isDescending: true,
        limit: 1,
      });
      return last?.accountId === accountId ? last : null;
    },
    /** Of the account: those requested after this (ms), and those that have not ended; newest first, each once. */
    async recent(accountId: string, after: number, limit: number): Promise<Replay[]> {
      const newest = { equal: { accountId }, isDescending: true, limit } as const;
      const [asked, running] = await Promise.all([
        replays.list({ by: 'ofAccount', ...newest, range: { on: 'createdAt', above: after } }),
        replays.list({ by: 'openOfAccount', ...newest }),
      ]);
      const all = new Map([...asked, ...running].map((replay) => [replay.id, replay]));
      return [...all.values()].toSorted(newestFirst);
    },
    /** Erases replays requested before these times, by whether they have ended. Returns their number. */
    async dropOlder(before: { ended: number; open: number }, stopping?: AbortSignal): Promise<number> {
      const ended = { on: 'createdAt', below: before.ended } as const;
      const dropped = await replays.sweep(ended, stopping, { openSince: null });
      return dropped + (await replays.sweep({ on: 'createdAt', below: before.open }, stopping));
    },
  };
}
