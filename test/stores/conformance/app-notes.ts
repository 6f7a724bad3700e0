import { describe, expect, test } from '@jest/globals';
import { noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describeAppNotes(name: string, open: Open): void {
  describe(`${name}: notes of the app`, () => {
    const store = withStore(open);

    test('a note replaces the one of the same id, and leaves the others alone', async () => {
      const { appNotes } = store.current.stores;
      await appNotes.put({ id: 'webhooks', at: noon, said: { 'a.b': [1, null], $c: 'first' } });
      await appNotes.put({ id: 'handshake', at: noon, said: null });
      await appNotes.put({ id: 'webhooks', at: noon + 1, said: { 'a.b': [2], $c: 'second' } });
      const all = await appNotes.of(['webhooks', 'handshake', 'absent']);
      expect(all.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([
        { id: 'handshake', at: noon, said: null },
        { id: 'webhooks', at: noon + 1, said: { 'a.b': [2], $c: 'second' } },
      ]);
    });
  });
}
