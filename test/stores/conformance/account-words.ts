import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { anAccount, aSubscription } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describeAccountWords(name: string, open: Open): void {
  describe(`${name}: words by which accounts are found`, () => {
    const store = withStore(open);
    /** A word that no other test uses. */
    const unique = (): string => `w${newId().replaceAll('-', '')}`;

    test('accounts are found by the beginning of a word, in order, up to a limit; a word that is added twice is there once', async () => {
      const { accountWords } = store.current.stores;
      const [begin, one, two] = [unique(), newId(), newId()];
      const words = ['c', 'a', 'b'].map((end) => ({ accountId: one, word: `${begin}${end}` }));
      const others = [
        { accountId: two, word: `${begin}a` },
        { accountId: two, word: `x${begin}` },
      ];
      await accountWords.add([...words, ...others]);
      await accountWords.add(words);
      const found = await accountWords.beginning(begin, 10);
      expect(found.map(({ word }) => word.slice(begin.length))).toEqual(['a', 'a', 'b', 'c']);
      expect(
        found
          .map(({ accountId }) => accountId)
          .slice(0, 2)
          .toSorted(),
      ).toEqual([one, two].toSorted());
      expect(await accountWords.beginning(begin, 2)).toEqual(found.slice(0, 2));
      expect(await accountWords.beginning(`${begin}b`, 10)).toEqual([{ accountId: one, word: `${begin}b` }]);
      expect(await accountWords.beginning(`${begin}.*`, 10)).toEqual([]);
    });

    test('letters of any script are distinguished', async () => {
      const { accountWords } = store.current.stores;
      const [begin, accountId] = [unique(), newId()];
      await accountWords.add(
        ['é', 'ß', '漢', '😀'].map((letter) => ({ accountId, word: `${begin}${letter}z` })),
      );
      for (const letter of ['é', 'ß', '漢', '😀']) {
        const found = await accountWords.beginning(`${begin}${letter}`, 10);
        expect(found).toEqual([{ accountId, word: `${begin}${letter}z` }]);
      }
      expect(await accountWords.beginning(begin, 10)).toHaveLength(4);
    });

    test("an account's words are added and removed with it", async () => {
      const { accounts, accountWords } = store.current.stores;
      const id = newId();
      const account = anAccount({ id, name: unique(), email: `${newId()}@example.com` });
      const leads = async () => (await accountWords.beginning(account.name ?? '', 10)).length;
      await accounts.create(account, null, aSubscription(id));
      expect(await leads()).toBe(1);
      expect(await accounts.create({ ...account, id: newId() }, null, aSubscription(newId()))).toBe(false);
      expect(await leads()).toBe(1);
      await accounts.dropUnconfirmed(account);
      expect(await leads()).toBe(0);
    });

    test('the store remembers that all accounts have been indexed', async () => {
      const { accountWords } = store.current.stores;
      await accountWords.noteComplete();
      await accountWords.noteComplete();
      expect(await accountWords.isComplete()).toBe(true);
      expect((await accountWords.beginning('complete', 10)).map(({ accountId }) => accountId)).not.toContain(
        '',
      );
    });
  });
}
