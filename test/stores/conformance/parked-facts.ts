import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { ParkedFacts } from '../../../src/use-cases/ports/messages.ts';
import { noon, sealedBytes } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

function aParked(channelId: string, over: Partial<ParkedFacts> = {}): ParkedFacts {
  return { id: newId(), channelId, facts: sealedBytes('[]'), at: noon, ...over };
}

function shown({ facts, ...rest }: ParkedFacts): unknown {
  return { ...rest, facts: Buffer.from(facts).toString('hex') };
}

export function describeParkedFacts(name: string, open: Open): void {
  describe(`${name}: parked facts [architecture §6.1]`, () => {
    const store = withStore(open);

    async function ofChannel(channelId: string, limit = 100): Promise<unknown[]> {
      return (await store.current.stores.parked.ofChannel(channelId, limit)).map(shown);
    }

    test('what is parked is read back byte by byte, the oldest first, at most as many as asked for', async () => {
      const channelId = newId();
      const [third, first, second] = [2, 0, 1].map((i) =>
        aParked(channelId, { at: noon + i, facts: sealedBytes(`facts ${i}`.repeat(500)) }),
      );
      if (first === undefined || second === undefined || third === undefined) throw new Error('three');
      await store.current.stores.parked.park([third, first]);
      await store.current.stores.parked.park([second, aParked(newId())]);

      expect(await ofChannel(channelId)).toEqual([first, second, third].map(shown));
      expect(await ofChannel(channelId, 2)).toEqual([first, second].map(shown));
    });

    test('the same facts parked again change nothing', async () => {
      const channelId = newId();
      const parked = aParked(channelId);

      await store.current.stores.parked.park([parked]);
      await store.current.stores.parked.park([{ ...parked, at: noon + 1, facts: sealedBytes('other') }]);
      await Promise.all([1, 2, 3].map(() => store.current.stores.parked.park([parked])));

      expect(await ofChannel(channelId)).toEqual([shown(parked)]);
    });

    test('what is dropped is gone, the rest stays; dropping it again does nothing', async () => {
      const channelId = newId();
      const parked = [0, 1, 2].map((i) => aParked(channelId, { at: noon + i }));
      await store.current.stores.parked.park(parked);
      const ids = parked.slice(0, 2).map(({ id }) => id);

      await store.current.stores.parked.drop(ids);
      await store.current.stores.parked.drop(ids);

      expect(await ofChannel(channelId)).toEqual(parked.slice(2).map(shown));
    });

    test('what is put aside is kept, among the others neither listed nor read, until it is brought back', async () => {
      const { parked } = store.current.stores;
      const channelId = newId();
      const [bad, good] = [aParked(channelId), aParked(channelId, { at: noon + 1 })];
      await parked.park([bad, good]);
      await parked.putAside([bad], noon);
      expect(await ofChannel(channelId)).toEqual([shown(good)]);

      await parked.park([bad]);
      await parked.drop([good.id]);
      expect(await parked.channels('', 1_000)).not.toContain(channelId);

      expect(await parked.bringBack(noon)).toBe(0);
      expect(await parked.bringBack(noon + 1)).toBe(1);
      expect(await ofChannel(channelId)).toEqual([shown(bad)]);
    });

    test('channels that have some are listed once each, by id, from where one left off', async () => {
      const { parked } = store.current.stores;
      for (
        let left = await parked.channels('', 100);
        left.length > 0;
        left = await parked.channels('', 100)
      ) {
        for (const id of left) await parked.drop((await parked.ofChannel(id, 100)).map((each) => each.id));
      }
      const channels = Array.from({ length: 5 }, () => newId()).toSorted();
      const [first = '', second = '', third = '', ...others] = channels;
      await parked.park(channels.flatMap((id) => [aParked(id), aParked(id, { at: noon - 1 })]));
      await parked.park(Array.from({ length: 300 }, (_, i) => aParked(second, { at: i })));

      expect(await parked.channels('', 100)).toEqual(channels);
      expect(await parked.channels('', 2)).toEqual([first, second]);
      expect(await parked.channels(second, 100)).toEqual([third, ...others]);
      expect(await parked.channels(channels.at(-1) ?? '', 100)).toEqual([]);
    });
  });
}
