import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { PersonName } from '../../../src/features/person-names/entity.ts';
import { noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function aPersonName(accountId: string, over: Partial<PersonName> = {}): PersonName {
  return {
    id: newId(),
    accountId,
    channelId: newId(),
    name: 'number',
    sameAs: 'id',
    createdAt: noon,
    ...over,
  };
}

export function describePersonNames(name: string, open: Open): void {
  describe(`${name}: names of people`, () => {
    const store = withStore(open);

    async function made(...overs: Partial<PersonName>[]): Promise<{ accountId: string; all: PersonName[] }> {
      const accountId = newId();
      const all = overs.map((over, n) => aPersonName(accountId, { createdAt: noon + n, ...over }));
      await store.current.stores.personNames.put([...all, aPersonName(newId())]);
      return { accountId, all };
    }
    const beside = (accountId: string, of: string, limit = 10) =>
      store.current.stores.personNames.beside(accountId, of, limit);

    test('are found from either side, latest first, in their account alone', async () => {
      const { accountId } = await made({}, { name: 'dialled', sameAs: 'number' }, { sameAs: 'id-2' });
      expect(await beside(accountId, 'number')).toEqual(['id-2', 'id', 'dialled']);
      expect(await beside(accountId, 'id')).toEqual(['number']);
      expect(await beside(accountId, 'number', 1)).toEqual(['id-2', 'dialled']);
      expect(await beside(newId(), 'number')).toEqual([]);
    });

    test('the last one told of a name counts', async () => {
      const { accountId, all } = await made({});
      await store.current.stores.personNames.put(
        all.map((each) => ({ ...each, sameAs: 'id-2', createdAt: noon + 9 })),
      );
      expect(await beside(accountId, 'number')).toEqual(['id-2']);
      expect(await beside(accountId, 'id')).toEqual([]);
    });

    test('are trimmed by number and by age', async () => {
      const { accountId } = await made({ name: 'a' }, { name: 'b' }, { name: 'c' });
      const { personNames } = store.current.stores;
      expect(await personNames.trim(2, 0, AbortSignal.abort())).toBe(0);
      await personNames.trim(2, 0);
      expect(await beside(accountId, 'id')).toEqual(['c', 'b']);
      await personNames.trim(2, noon + 2);
      expect(await beside(accountId, 'id')).toEqual(['c']);
    });
  });
}
