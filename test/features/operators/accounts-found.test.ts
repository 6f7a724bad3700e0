/** [operator-interface §3, Admin API] How operators find an account, also by data from before words were indexed. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Account } from '../../../src/features/accounts/account.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { channelOf } from '../../rules/samples.ts';
import { anAccount, aPerson, aSubscription } from '../../stores/conformance/samples.ts';
import { assetOf } from '../support/outside.ts';
import { connected, connectedChannel, newIdentity, newTenant, openService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import type { AccountWord } from '../../../src/features/accounts/entity.ts';

const service = serviceForEach();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
});

const found = async (text: string) => {
  const { items, isCut } = await service.features.findAccounts(text);
  return [items.map(({ id }) => id), isCut];
};
const lead = (words: readonly AccountWord[]) => service.stores.accountWords.add(words);

describe('an account is found', () => {
  test('by the address of a person who joined it', async () => {
    const person = aPerson({ accountId: tenant.accountId, email: 'joined@example.com' });
    await service.stores.people.insert(person);
    expect(await found('Joined@Example.com')).toEqual([[tenant.accountId], false]);
  });

  test("by upstream's ids of its channels, of every type", async () => {
    const photoapp = (accountId: string) => ({
      type: 'photoapp' as const,
      accountId,
      username: 'harbour',
      pageId: 'page',
    });
    for (const type of ['chatapp', 'photoapp', 'pagechat'] as const) {
      const asset = { ...assetOf(type, newIdentity()), name: 'Harbour Bakery' };
      const profile = type === 'photoapp' ? photoapp(asset.identity) : asset.profile;
      await connected(service, tenant, { ...asset, profile });
      expect(await service.stores.accountWords.beginning(asset.identity, 1)).toEqual([]);
      expect(await found(asset.identity)).toEqual([[tenant.accountId], false]);
    }
  });

  test('by the parts of a compound word', async () => {
    const { account } = await service.features.createAccount({
      email: 'x@example.com',
      name: 'O’Neil-Quayside',
      tier: null,
    });
    expect(await found('o’neil-quay')).toEqual([[account.id], false]);
  });

  /** By their ids, which increase with time. */
  const newest = (...of: Tenant[]) =>
    of
      .map(({ accountId }) => accountId)
      .toSorted()
      .toReversed();

  test('if it has all of the words, while others have only some; the newest first', async () => {
    const [other, third, fourth] = [
      await newTenant(service),
      await newTenant(service),
      await newTenant(service),
    ];
    await lead([
      { word: 'harbour', accountId: tenant.accountId },
      { word: 'harbour', accountId: other.accountId },
      { word: 'bakery', accountId: tenant.accountId },
      { word: 'bakery', accountId: third.accountId },
      { word: 'bakery', accountId: fourth.accountId },
      { word: 'harbourside', accountId: third.accountId },
    ]);
    expect(await found('bakery harbour')).toEqual([newest(third, tenant), false]);
    expect(await found('bake harbour')).toEqual([newest(third, tenant), false]);
    await lead([
      { word: 'quay a', accountId: third.accountId },
      { word: 'quay b', accountId: other.accountId },
    ]);
    expect(await found('quay')).toEqual([newest(third, other), false]);
    const [only] = await found('bakery harbours');
    expect(only).toEqual([third.accountId]);
  });

  test('as one of at most fifty; if there are more, the list says so', async () => {
    const others = Array.from({ length: 49 }, () => '0'.repeat(8) + newId().slice(8));
    await lead([...others, tenant.accountId].map((accountId) => ({ word: 'quayside', accountId })));
    expect(await found('quay')).toEqual([[tenant.accountId], false]);
    await lead([{ word: 'quayside', accountId: '0'.repeat(8) + newId().slice(8) }]);
    expect(await found('quay')).toEqual([[tenant.accountId], true]);
  });

  test('among up to a thousand words with that beginning; at that bound the list says that there may be more', async () => {
    const { accountId } = tenant;
    const words = Array.from({ length: 1_000 }, (_, n) => ({ word: `harbour${n}`, accountId }));
    await lead(words.slice(1));
    expect(await found('harbour')).toEqual([[accountId], false]);
    await lead([...words, { word: 'berth', accountId }]);
    for (const text of ['harbour', 'harbour berth']) expect(await found(text)).toEqual([[accountId], true]);
  });
});

describe('words of a channel', () => {
  test('that cannot be stored do not prevent the change; the log reports it', async () => {
    const { accountWords } = service.stores;
    const away = () => Promise.reject(new StoreUnavailable('away'));
    service.stores.accountWords = { ...accountWords, add: away };
    service.told.length = 0;
    const { channel } = await connected(service, tenant, assetOf('pagechat', newIdentity()));
    expect(channel.isActive).toBe(true);
    expect(service.told.filter(({ msg }) => msg === 'channel.words-not-kept')).toMatchObject([
      { channel: channel.id, error: { message: 'away' } },
    ]);
  });
});

describe('data from before words were indexed', () => {
  /** By the number of words added since the last run. */
  let added: AccountWord[];
  let isAway: boolean;
  beforeEach(() => {
    [added, isAway] = [[], false];
    const { accountWords } = service.stores;
    service.stores.accountWords = {
      ...accountWords,
      async add(words) {
        if (isAway) throw new StoreUnavailable('away');
        added.push(...words);
      },
    };
  });
  const look = async (): Promise<string[]> => {
    added.length = 0;
    await service.features.backFillAccountWords();
    return [...new Set(added.map(({ accountId }) => accountId))];
  };
  const isComplete = () => service.stores.accountWords.isComplete();

  async function someAccounts(count: number): Promise<Account[]> {
    const all: Account[] = [];
    for (let n = 0; n < count; n += 1) {
      const account = anAccount({ createdAt: n, name: 'Ada' });
      await service.stores.accounts.create(account, null, aSubscription(account.id));
      all.push(account);
    }
    return all;
  }

  /** This many active channels, each of its own account. */
  function manyChannels(count: number): Channel[] {
    const all = Array.from({ length: count }, (_, n) => {
      const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      return channelOf('pagechat', { id, accountId: `account of ${id}`, name: 'Harbour Bakery' });
    });
    const { channels } = service.stores;
    const activeAfter = async (after: string, limit: number) =>
      all.filter(({ id }) => id > after).slice(0, limit);
    service.stores.channels = { ...channels, activeAfter };
    return all;
  }

  test('is indexed five hundred at a time: accounts, then active channels, until all are done', async () => {
    const accounts = await someAccounts(500);
    const channels = manyChannels(501);
    expect(await look()).toEqual(accounts.map(({ id }) => id));
    expect(await look()).toEqual([tenant.accountId]);
    expect(await look()).toEqual(channels.slice(0, 500).map(({ accountId }) => accountId));
    expect(await isComplete()).toBe(false);
    expect(await look()).toEqual([channels[500]?.accountId]);
    expect(await isComplete()).toBe(true);
    expect(await look()).toEqual([]);
  });

  test('is found by the words of each name', async () => {
    const [account] = await someAccounts(1);
    manyChannels(1);
    await look();
    expect(added).toContainEqual({ word: 'ada', accountId: account?.id });
    await look();
    expect(added.map(({ word }) => word)).toEqual(['harbour', 'bakery']);
  });

  test('is complete also if there are exactly as many channels as one run reads', async () => {
    manyChannels(500);
    await look();
    expect(await look()).toHaveLength(500);
    expect([await isComplete(), await look(), await isComplete()]).toEqual([false, [], true]);
  });

  test('is continued at the same place after the store was down', async () => {
    const channels = manyChannels(1);
    isAway = true;
    await expect(look()).rejects.toThrow('away');
    isAway = false;
    expect(await look()).toEqual([tenant.accountId]);
    isAway = true;
    await expect(look()).rejects.toThrow('away');
    expect(await isComplete()).toBe(false);
    isAway = false;
    expect(await look()).toEqual([channels[0]?.accountId]);
  });

  test('is not indexed again if another node has finished', async () => {
    await service.stores.accountWords.noteComplete();
    expect(await look()).toEqual([]);
  });

  test('that does not exist is complete at once', async () => {
    const on = await openService();
    for (let n = 0; n < 2; n += 1) await on.features.backFillAccountWords();
    expect(await on.stores.accountWords.isComplete()).toBe(true);
    await on.close();
  });
});

describe('channels that need attention', () => {
  const refused = { token: 'refused', isSubscribed: true, qualityRating: null } as const;
  const note = (id: string) => service.stores.health.noteUpstream(id, refused, service.clock.now());

  test('because upstream refuses their tokens are listed while they are active', async () => {
    const [page, photo] = [
      await connectedChannel(service, tenant, 'pagechat'),
      await connectedChannel(service, tenant, 'photoapp'),
    ];
    for (const id of [page.id, photo.id, newId()]) await note(id);
    await service.stores.channels.deactivate(photo.id, tenant.accountId);
    expect(await service.features.listRefusedTokens()).toMatchObject([
      { channel: { id: page.id }, health: { token: 'refused' } },
    ]);
  });
});
