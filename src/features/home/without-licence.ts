/** An account's channels that no licence serves (their sends are 402), found without a look at its others. */
import type { Subscription } from '../../rules/licences/subscription.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { World } from '../world.ts';

interface WithoutLicence {
  channelIds: readonly string[];
  /** False: there may be more of them. */
  isAll: boolean;
}

const maxUnbound = 50;
/** Licences of each status whose channels are looked for. Few have any, because channels move to a licence with a free slot. */
const maxStopped = 50;
const stoppedStatuses = ['expired', 'canceled', 'none'] as const;

/** `ending`: the account's licences that are stored as active and may have lapsed. */
export async function findWithoutLicence(
  world: Pick<World, 'stores' | 'clock' | 'settings'>,
  accountId: string,
  ending: readonly Subscription[],
): Promise<WithoutLicence> {
  const { channels, subscriptions } = world.stores;
  const now = world.clock.now();
  const [unbound, ...stopped] = await Promise.all([
    channels.withoutLicence(accountId, maxUnbound + 1),
    ...stoppedStatuses.map((status) => subscriptions.withStatus(accountId, status, maxStopped)),
  ]);
  const lapsed = ending.filter((licence) => !isOperable(licence, now, world.settings.graceMs));
  const licenceIds = [...lapsed, ...stopped.flat()].map(({ id }) => id);
  const bound = (await channels.onLicences(accountId, licenceIds)).filter(({ isActive }) => isActive);
  return {
    channelIds: [...unbound.slice(0, maxUnbound), ...bound.map(({ id }) => id)],
    isAll: unbound.length <= maxUnbound && stopped.every(({ length }) => length < maxStopped),
  };
}
