import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../src/features/endpoints/entity.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { maxEndpoints } from '../../../src/rules/webhooks/endpoints.ts';
import { noon, sealedText } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function anEndpoint(over: Partial<Endpoint> = {}): Endpoint {
  return {
    id: newId(),
    accountId: newId(),
    channelId: newId(),
    url: 'https://crm.example/in',
    secret: sealedText('secret'),
    previousSecret: sealedText('before'),
    previousSecretUntil: noon + 9,
    events: ['message.received'],
    headers: { names: ['X-A'], sealed: sealedText('headers') },
    disabledAt: noon + 1,
    version: 0,
    createdAt: noon,
    ...over,
  };
}

export function describeEndpoints(name: string, open: Open): void {
  describe(`${name}: endpoints`, () => {
    const store = withStore(open);

    test('of a channel are listed, oldest first, and found within their account alone', async () => {
      const { endpoints } = store.current.stores;
      const { accountId, channelId } = anEndpoint();
      const younger = anEndpoint({ accountId, channelId, createdAt: noon + 1, secret: null, headers: null });
      const older = anEndpoint({ accountId, channelId, disabledAt: null });
      for (const each of [younger, older, anEndpoint({ accountId })])
        expect(await endpoints.add(each)).toBe(true);
      expect(await endpoints.ofChannel(channelId)).toEqual([older, younger]);
      const { id } = older;
      expect(await endpoints.find({ id, channelId, accountId })).toEqual(older);
      expect(await endpoints.find({ id, channelId, accountId: newId() })).toBeNull();
      expect(await endpoints.find({ id, channelId: newId(), accountId })).toBeNull();
      expect(await endpoints.ofOwner(id, channelId)).toEqual(older);
      expect(await endpoints.ofOwner(id, newId())).toBeNull();
    });

    test('of a channel are ten at most, however many are added at once; a removed one makes room', async () => {
      const { endpoints } = store.current.stores;
      const { accountId, channelId } = anEndpoint();
      const all = Array.from({ length: maxEndpoints + 5 }, () => anEndpoint({ accountId, channelId }));
      const added = await Promise.all(all.map((each) => endpoints.add(each)));
      expect(added.filter(Boolean)).toHaveLength(maxEndpoints);
      const [first] = await endpoints.ofChannel(channelId);
      expect(first).toBeDefined();
      if (first === undefined) return;
      const removed = await Promise.all([endpoints.remove(first), endpoints.remove(first)]);
      expect(removed.filter((each) => each !== null)).toEqual([first]);
      expect(await endpoints.add(anEndpoint({ accountId, channelId }))).toBe(true);
    });

    test('a change sees what it changes: none of two at once is lost', async () => {
      const { endpoints } = store.current.stores;
      const endpoint = anEndpoint({ events: [] });
      await endpoints.add(endpoint);
      const adding = (event: string) => (before: Endpoint) => ({
        events: [...before.events, event].toSorted(),
      });
      await Promise.all(['a', 'b', 'c'].map((event) => endpoints.change(endpoint, adding(event))));
      const after = await endpoints.find(endpoint);
      expect(after).toEqual({ ...endpoint, events: ['a', 'b', 'c'], version: 3 });
      expect(await endpoints.change(endpoint, () => ({ url: 'https://b.example' }))).toEqual({
        before: after,
        after: { ...after, url: 'https://b.example', version: 4 },
      });
      expect(await endpoints.change(endpoint, () => null)).toBeNull();
      expect(await endpoints.change({ ...endpoint, accountId: newId() }, () => ({}))).toBeNull();
    });

    test('all of them are read by id', async () => {
      const { endpoints } = store.current.stores;
      const added = [anEndpoint(), anEndpoint(), anEndpoint()];
      for (const each of added) await endpoints.add(each);
      const seen: Endpoint[] = [];
      for (let after = ''; ;) {
        const some = await endpoints.someAfter(after, 2);
        seen.push(...some);
        const last = some.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
      expect(seen).toEqual(expect.arrayContaining(added));
    });
  });
}
