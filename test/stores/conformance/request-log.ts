import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { aRequest, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { LoggedRequest } from '../../../src/features/requests/entity.ts';
import type { RequestFilter } from '../../../src/features/requests/store.ts';

export function describeRequestLog(name: string, open: Open): void {
  describe(`${name}: log of requests`, () => {
    const store = withStore(open);

    const refused = { status: 400, isFailed: true, code: 'invalid_recipient' };
    async function made(
      ...overs: Partial<LoggedRequest>[]
    ): Promise<{ accountId: string; all: LoggedRequest[] }> {
      const accountId = newId();
      const all = overs.map((over, n) => aRequest(accountId, { createdAt: noon + n, ...over }));
      await store.current.stores.requestLog.add([...all, aRequest(newId())]);
      return { accountId, all };
    }
    const list = (accountId: string, filter: RequestFilter & { since?: number } = {}, limit = 100) =>
      store.current.stores.requestLog.list(accountId, { since: 0, ...filter }, { limit, cursor: null });

    test('shows an account its own requests, newest first, unchanged', async () => {
      const { accountId, all } = await made({}, refused, { leftOut: { succeeded: 3, failed: 1 } });
      expect((await list(accountId)).items).toEqual(all.toReversed());
      expect((await list(newId())).items).toEqual([]);
    });

    test('a request that is added twice is there once', async () => {
      const { accountId, all } = await made({}, {});
      await store.current.stores.requestLog.add(all);
      expect((await list(accountId)).items).toHaveLength(2);
    });

    test('filters by status, failure, route, request id and time, in pages', async () => {
      const route = '/api/v1/messages/send';
      const { accountId, all } = await made({}, refused, { route }, { requestId: 'mine' });
      const [first, second, third, fourth] = [all[0]!, all[1]!, all[2]!, all[3]!];
      const found = async (filter: RequestFilter & { since?: number }) =>
        (await list(accountId, filter)).items;
      expect(await found({ status: 400 })).toEqual([second]);
      expect(await found({ isFailed: true })).toEqual([second]);
      expect(await found({ route })).toEqual([third]);
      expect(await found({ requestId: 'mine' })).toEqual([fourth]);
      expect(await found({ since: noon + 2 })).toEqual([fourth, third]);
      const { requestLog } = store.current.stores;
      const page = await list(accountId, {}, 3);
      const rest = await requestLog.list(accountId, { since: 0 }, { limit: 3, cursor: page.nextCursor });
      expect([page.items, rest]).toEqual([[fourth, third, second], { items: [first], nextCursor: null }]);
    });

    test('of each account the newest stay, unless they are too old', async () => {
      const many = await made(...Array.from({ length: 5 }, () => ({})));
      const old = await made({ createdAt: noon - 10 }, { createdAt: noon });
      const { requestLog } = store.current.stores;
      expect(await requestLog.trim(3, noon - 5, AbortSignal.abort())).toBe(0);
      expect(await requestLog.trim(3, noon - 5)).toBeGreaterThanOrEqual(3);
      expect((await list(many.accountId)).items).toEqual(many.all.slice(2).toReversed());
      expect((await list(old.accountId)).items).toEqual(old.all.slice(1));
      expect(await requestLog.trim(3, noon - 5)).toBe(0);
    });
  });
}
