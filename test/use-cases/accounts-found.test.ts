/** [operator-interface §3, Admin API] How operators find an account, by what was kept of it whenever that was. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Account } from '../../src/domain/accounts/account.ts';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { AccountWord } from '../../src/use-cases/ports/account-words.ts';
import { channelOf } from '../domain/samples.ts';
import { anAccount, aPerson, aSubscription } from '../stores/conformance/samples.ts';
import { assetOf } from './support/outside.ts';
import { connected, connectedChannel, newIdentity, newTenant, openService } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
beforeEach(async () => {
  service = await openService();
  tenant = await newTenant(service);
});
afterEach(() => service.close());

const found = async (text: string) => {
  const { items, isCut } = await service.useCases.findAccounts(text);
  return [items.map(({ id }) => id), isCut];
};
const lead = (words: readonly AccountWord[]) => service.stores.accountWords.add(words);

describe('an account is found', () => {
  test('by the address of somebody who joined it', async () => {
    const person = aPerson({ accountId: tenant.accountId, email: 'joined@example.com' });
    await service.stores.people.insert(person);
    expect(await found('Joined@Example.com')).toEqual([[tenant.accountId], false]);
  });

  test('by what upstream calls its channels, of every kind', async () => {
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

  test('by the parts of a word that nobody has as it is written', async () => {
    const { account } = await service.useCases.createAccount({
      email: 'x@example.com',
      name: 'O’Neil-Quayside',
      tier: null,
    });
    expect(await found('o’neil-quay')).toEqual([[account.id], false]);
  });

  /** By their ids, which grow with time. */
  const newest = (...of: Tenant[]) =>
    of
      .map(({ accountId }) => accountId)
      .toSorted()
      .toReversed();

  test('that has all of the words, where others have each of them; the newest first, whatever their words', async () => {
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

  test('as one of fifty at most; of more the list says that there are', async () => {
    const others = Array.from({ length: 49 }, () => '0'.repeat(8) + newId().slice(8));
    await lead([...others, tenant.accountId].map((accountId) => ({ word: 'quayside', accountId })));
    expect(await found('quay')).toEqual([[tenant.accountId], false]);
    await lead([{ word: 'quayside', accountId: '0'.repeat(8) + newId().slice(8) }]);
    expect(await found('quay')).toEqual([[tenant.accountId], true]);
  });

  test('among a thousand words that begin so; where there are as many the list says that there may be more', async () => {
    const { accountId } = tenant;
    const words = Array.from({ length: 1_000 }, (_, n) => ({ word: `harbour${n}`, accountId }));
    await lead(words.slice(1));
    expect(await found('harbour')).toEqual([[accountId], false]);
    await lead([...words, { word: 'berth', accountId }]);
    for (const text of ['harbour', 'harbour berth']) expect(await found(text)).toEqual([[accountId], true]);
  });
});

describe('words of a channel', () => {
  test('that can not be kept keep it from nothing; the log says so', async () => {
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

describe('what was kept before there were words', () => {
  /** By what was added since the last look. */
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
    await service.useCases.keepOlderWords();
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

  /** Active ones of one account each. */
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

  test('is looked at five hundred at a time: accounts, then active channels, until all are done', async () => {
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

  test('leads from the words of each name to its account', async () => {
    const [account] = await someAccounts(1);
    manyChannels(1);
    await look();
    expect(added).toContainEqual({ word: 'ada', accountId: account?.id });
    await look();
    expect(added.map(({ word }) => word)).toEqual(['harbour', 'bakery']);
  });

  test('is done where there are as many channels as are looked at together', async () => {
    manyChannels(500);
    await look();
    expect(await look()).toHaveLength(500);
    expect([await isComplete(), await look(), await isComplete()]).toEqual([false, [], true]);
  });

  test('is looked at again from the same place after the store was away', async () => {
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

  test('is not looked at where another node has done all of it', async () => {
    await service.stores.accountWords.noteComplete();
    expect(await look()).toEqual([]);
  });

  test('that is nothing is done', async () => {
    const on = await openService();
    for (let n = 0; n < 2; n += 1) await on.useCases.keepOlderWords();
    expect(await on.stores.accountWords.isComplete()).toBe(true);
    await on.close();
  });
});

describe('channels that need somebody', () => {
  const refused = { token: 'refused', isSubscribed: true, qualityRating: null } as const;
  const note = (id: string) => service.stores.health.noteUpstream(id, refused, service.clock.now());

  test('because upstream takes their token no more are listed while they are active', async () => {
    const [page, photo] = [
      await connectedChannel(service, tenant, 'pagechat'),
      await connectedChannel(service, tenant, 'photoapp'),
    ];
    for (const id of [page.id, photo.id, newId()]) await note(id);
    await service.stores.channels.deactivate(photo.id, tenant.accountId);
    expect(await service.useCases.listRefusedTokens()).toMatchObject([
      { channel: { id: page.id }, health: { token: 'refused' } },
    ]);
  });
});
