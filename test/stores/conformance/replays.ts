import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { Replay } from '../../../src/features/deliveries/entity.ts';

function aReplay(over: Partial<Replay> = {}): Replay {
  const which = { since: noon - 9, until: noon, events: ['message.read' as const] };
  const ids = { id: newId(), channelId: newId(), accountId: newId() };
  return { ...ids, ...which, total: 7, createdAt: noon, openSince: noon, ...over };
}

export function describeReplays(name: string, open: Open): void {
  describe(`${name}: replays`, () => {
    const store = withStore(open);

    test('the oldest unfinished replay is the open one; the last requested is the latest', async () => {
      const { replays } = store.current.stores;
      const first = aReplay({ events: null });
      const { channelId, accountId } = first;
      const second = aReplay({ channelId, accountId, createdAt: noon + 1, openSince: noon + 1 });
      await replays.begin(second, 20);
      await replays.begin(first, 20);
      await replays.begin(aReplay(), 20);
      expect(await replays.open(channelId)).toEqual(first);
      expect(await replays.allOpen(channelId, 9)).toEqual([first, second]);
      expect(await replays.latest({ channelId, accountId })).toEqual(second);
      expect(await replays.latest({ channelId, accountId: newId() })).toBeNull();
      await replays.end(first.id);
      await replays.end(first.id);
      expect(await replays.open(channelId)).toEqual(second);
      await replays.end(second.id);
      expect(await replays.open(channelId)).toBeNull();
      expect(await replays.latest({ channelId, accountId })).toEqual({ ...second, openSince: null });
    });

    test('a channel has at most its limit of open replays, however many are requested at once', async () => {
      const { replays } = store.current.stores;
      const { channelId } = aReplay();
      const all = Array.from({ length: 6 }, (_, n) => aReplay({ channelId, openSince: noon + 9 - n }));
      const begun = await Promise.all(all.map((each) => replays.begin(each, 3)));
      expect(begun.filter(Boolean)).toHaveLength(3);
      const stand = (await replays.allOpen(channelId, 9)).map(({ id }) => id);
      expect(new Set(stand)).toEqual(new Set(all.filter((_, n) => begun[n]).map(({ id }) => id)));
      expect(await replays.begin(aReplay(), 3)).toBe(true);
    });

    test('of an account: the recent ones, and the open ones however old; newest first', async () => {
      const { replays } = store.current.stores;
      const accountId = newId();
      const old = aReplay({ accountId, createdAt: noon - 9 });
      const ended = aReplay({ accountId, createdAt: noon - 8 });
      const recent = aReplay({ accountId, createdAt: noon + 2 });
      const unended = aReplay({ accountId, createdAt: noon + 1 });
      for (const each of [old, ended, recent, unended, aReplay()]) await replays.begin(each, 20);
      await replays.end(ended.id);
      await replays.end(recent.id);
      expect(await replays.recent(accountId, noon, 9)).toEqual([
        { ...recent, openSince: null },
        unended,
        old,
      ]);
      expect(await replays.recent(accountId, noon + 2, 9)).toEqual([unended, old]);
      expect(await replays.recent(accountId, noon, 1)).toEqual([{ ...recent, openSince: null }, unended]);
    });

    test('channels with an open replay, each once', async () => {
      const { replays } = store.current.stores;
      const [first, ended] = [aReplay(), aReplay()];
      for (const each of [first, aReplay({ channelId: first.channelId }), ended])
        await replays.begin(each, 20);
      await replays.end(ended.id);
      const found = await replays.channels('', 1_000);
      expect(found.filter((id) => id === first.channelId)).toHaveLength(1);
      expect(found).not.toContain(ended.channelId);
    });

    test('[faults: 455] replays before a time are erased; those that have not ended only long after', async () => {
      const { replays } = store.current.stores;
      const [old, unended, later] = [4, 5, 6].map((createdAt) => aReplay({ createdAt }));
      for (const each of [old, unended, later]) await replays.begin(each!, 20);
      await replays.end(old!.id);
      await replays.end(later!.id);
      const left = async () => [
        await replays.latest(old!),
        await replays.latest(unended!),
        await replays.latest(later!),
      ];
      expect(await replays.dropOlder({ ended: 6, open: 5 }, AbortSignal.abort())).toBe(0);
      expect(await replays.dropOlder({ ended: 6, open: 5 })).toBe(1);
      expect(await left()).toEqual([null, unended, { ...later, openSince: null }]);
      expect(await replays.dropOlder({ ended: 6, open: 6 })).toBe(1);
      expect(await left()).toEqual([null, null, { ...later, openSince: null }]);
    });
  });
}
