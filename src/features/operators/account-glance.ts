/** An account as the console shows it: the first items of its long lists, whatever their number. [faults: 411] */
import { everything } from '../../kernel/paging.ts';
import { listChannels } from '../channels/index.ts';
import { licencePage } from '../licences/index.ts';
import { listPeople } from '../people/index.ts';
import type { World } from '../world.ts';
import { findAccount } from './accounts.ts';
import type { AccountInsight } from './types.ts';

/** At most `most` licences, the newest, and as many channels. */
export type AccountGlance = AccountInsight & { licencesTotal: number };

/** Throws 404 `not_found`. */
export async function glanceAtAccount(world: World, accountId: string, most: number): Promise<AccountGlance> {
  const account = await findAccount(world, accountId);
  const { keys, channels, subscriptions } = world.stores;
  const first = { limit: most, cursor: null };
  const [held, licences, connected, people, channelsTotal, licencesTotal] = await Promise.all([
    keys.page(accountId, everything),
    licencePage(world, { accountId }, first),
    listChannels(world, { accountId }, first),
    listPeople(world, { accountId }),
    channels.countOf(accountId),
    subscriptions.countOf(accountId),
  ]);
  return {
    account,
    keys: held.items.map(world.keyUses.reader()),
    subscriptions: licences.items,
    channels: connected.items,
    people,
    channelsTotal,
    licencesTotal,
  };
}
