import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { noon, sealedBytes } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { StrandedFacts } from '../../../src/storage/entities/facts.ts';

function aStranded(channelId: string, over: Partial<StrandedFacts> = {}): StrandedFacts {
  return { id: newId(), channelId, facts: sealedBytes('[]'), at: noon, nodesGone: 0, ...over };
}

function shown({ facts, ...rest }: StrandedFacts): unknown {
  return { ...rest, facts: Buffer.from(facts).toString('hex') };
}

export function describeStrandedFacts(name: string, open: Open): void {
  describe(`${name}: stranded facts [architecture §6.1]`, () => {
    const store = withStore(open);

    async function ofChannel(channelId: string, limit = 100): Promise<unknown[]> {
      return (await store.current.stores.strandedFacts.ofChannel(channelId, limit)).map(shown);
    }

    test('stranded facts are read back unchanged, the oldest first, up to a limit', async () => {
      const channelId = newId();
      const [third, first, second] = [2, 0, 1].map((i) =>
        aStranded(channelId, { at: noon + i, facts: sealedBytes(`facts ${i}`.repeat(500)) }),
      );
      if (first === undefined || second === undefined || third === undefined) throw new Error('three');
      await store.current.stores.strandedFacts.add([third, first]);
      await store.current.stores.strandedFacts.add([second, aStranded(newId())]);

      expect(await ofChannel(channelId)).toEqual([first, second, third].map(shown));
      expect(await ofChannel(channelId, 2)).toEqual([first, second].map(shown));
    });

    test('the nodes that have ended are counted, and the same facts stranded again lose none', async () => {
      const { strandedFacts } = store.current.stores;
      const stranded = aStranded(newId(), { nodesGone: 1 });
      await strandedFacts.add([stranded]);
      await strandedFacts.countGone(stranded, 1);
      await strandedFacts.countGone({ id: stranded.id, channelId: newId() }, 1);
      await strandedFacts.add([stranded]);
      expect(await ofChannel(stranded.channelId)).toEqual([shown({ ...stranded, nodesGone: 2 })]);
    });

    test('the same facts stranded again change nothing', async () => {
      const channelId = newId();
      const stranded = aStranded(channelId);

      await store.current.stores.strandedFacts.add([stranded]);
      await store.current.stores.strandedFacts.add([
        { ...stranded, at: noon + 1, facts: sealedBytes('other') },
      ]);
      await Promise.all([1, 2, 3].map(() => store.current.stores.strandedFacts.add([stranded])));

      expect(await ofChannel(channelId)).toEqual([shown(stranded)]);
    });

    test('dropped facts are gone, the others stay; a repeated drop has no effect', async () => {
      const channelId = newId();
      const stranded = [0, 1, 2].map((i) => aStranded(channelId, { at: noon + i }));
      await store.current.stores.strandedFacts.add(stranded);
      const ids = stranded.slice(0, 2).map(({ id }) => id);

      await store.current.stores.strandedFacts.drop(ids);
      await store.current.stores.strandedFacts.drop(ids);

      expect(await ofChannel(channelId)).toEqual(stranded.slice(2).map(shown));
    });

    test('quarantined facts are kept, but neither listed nor read with the others, until they are restored', async () => {
      const { strandedFacts } = store.current.stores;
      const channelId = newId();
      const [bad, good] = [aStranded(channelId), aStranded(channelId, { at: noon + 1 })];
      await strandedFacts.add([bad, good]);
      await strandedFacts.putAside([bad], noon);
      expect(await ofChannel(channelId)).toEqual([shown(good)]);

      await strandedFacts.add([bad]);
      await strandedFacts.drop([good.id]);
      expect(await strandedFacts.channels('', 1_000)).not.toContain(channelId);

      expect(await strandedFacts.bringBack(noon)).toBe(0);
      expect(await strandedFacts.bringBack(noon + 1)).toBe(1);
      expect(await ofChannel(channelId)).toEqual([shown(bad)]);
    });

    test('channels with stranded facts are listed once each, by id, after a given one', async () => {
      const { strandedFacts } = store.current.stores;
      for (
        let left = await strandedFacts.channels('', 100);
        left.length > 0;
        left = await strandedFacts.channels('', 100)
      ) {
        for (const id of left)
          await strandedFacts.drop((await strandedFacts.ofChannel(id, 100)).map((each) => each.id));
      }
      const channels = Array.from({ length: 5 }, () => newId()).toSorted();
      const [first = '', second = '', third = '', ...others] = channels;
      await strandedFacts.add(channels.flatMap((id) => [aStranded(id), aStranded(id, { at: noon - 1 })]));
      await strandedFacts.add(Array.from({ length: 300 }, (_, i) => aStranded(second, { at: i })));

      expect(await strandedFacts.channels('', 100)).toEqual(channels);
      expect(await strandedFacts.channels('', 2)).toEqual([first, second]);
      expect(await strandedFacts.channels(second, 100)).toEqual([third, ...others]);
      expect(await strandedFacts.channels(channels.at(-1) ?? '', 100)).toEqual([]);
    });
  });
}
