import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { aTranscript, idsOf, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { KeptTranscript } from '../../../src/features/deliveries/entity.ts';

export function describeTranscripts(name: string, open: Open): void {
  describe(`${name}: transcripts of attempts`, () => {
    const store = withStore(open);

    /** Attempts of one channel, the `n`th made `n` ms after noon. */
    async function made(...overs: Partial<KeptTranscript>[]): Promise<KeptTranscript[]> {
      const of = { accountId: newId(), channelId: newId(), deliveryId: newId() };
      const all = overs.map((over, n) => aTranscript({ ...of, createdAt: noon + n, ...over }));
      await store.current.stores.transcripts.add(all);
      return all;
    }

    test("a delivery's attempts are read newest first, unchanged; adding one again has no effect", async () => {
      const all = await made({}, { isTaken: true }, { deliveryId: newId() });
      const { transcripts } = store.current.stores;
      await transcripts.add(all);
      const found = await transcripts.ofDelivery(all[0]!, 9);
      expect(found.map((each) => ({ ...each, content: Buffer.from(each.content) }))).toEqual(
        [all[1]!, all[0]!].map((each) => ({ ...each, content: Buffer.from(each.content) })),
      );
      expect(idsOf(await transcripts.ofDelivery(all[0]!, 1))).toEqual([all[1]?.id]);
    });

    test('another account or channel has none', async () => {
      const [one] = await made({});
      const { transcripts } = store.current.stores;
      expect(await transcripts.ofDelivery({ ...one!, accountId: newId() }, 9)).toEqual([]);
      expect(await transcripts.ofDelivery({ ...one!, channelId: newId() }, 9)).toEqual([]);
    });

    test('of each channel the newest of either kind stay, unless they are too old', async () => {
      const taken = { isTaken: true };
      const many = await made({}, {}, {}, taken, taken, taken);
      const old = await made({ createdAt: noon - 10 }, {});
      const { transcripts } = store.current.stores;
      expect(await transcripts.trim(2, noon - 5, AbortSignal.abort())).toBe(0);
      expect(await transcripts.trim(2, noon - 5)).toBeGreaterThanOrEqual(3);
      expect(idsOf(await transcripts.ofDelivery(many[0]!, 9))).toEqual(
        idsOf([many[5]!, many[4]!, many[2]!, many[1]!]),
      );
      expect(idsOf(await transcripts.ofDelivery(old[0]!, 9))).toEqual([old[1]?.id]);
      expect(await transcripts.trim(2, noon - 5)).toBe(0);
    });
  });
}
