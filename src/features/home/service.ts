/** The portal's Home page: first steps, then figures of a span and open problems. */
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Page } from '../../kernel/paging.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { dayMs } from '../../kernel/clock.ts';
import { listChannelsWithHealth, readChannelsWithHealth } from '../channels/index.ts';
import type { ChannelWithHealth } from '../channels/index.ts';
import { findNews } from './given-up.ts';
import type { Counted, GivenUpNews } from './given-up.ts';
import { readHistory } from './history.ts';
import type { History, HomeSpan } from './history.ts';
import { takeInTurn } from './in-turn.ts';
import { countWaiting } from './waiting.ts';
import { findWithoutLicence } from './without-licence.ts';

export interface HomeOverview {
  hasKey: boolean;
  /** The first channels of the account. */
  channels: Page<ChannelWithHealth>;
  /** Of the others, those in trouble, those without a licence and those whose events were given up. */
  troubledOthers: readonly ChannelWithHealth[];
  /** False: of the others, more may lack a licence. */
  areLicencesKnown: boolean;
  history: History;
  waiting: Counted;
  givenUp: GivenUpNews;
  /** Licences that end soon and are not renewed, earliest end first. */
  endingLicences: readonly Subscription[];
}

/** Channels examined; of the others of an account that has more, those in trouble are looked up. */
const maxChannels = 100;
const maxAiling = 50;
const maxFailed = 200;
const maxOthers = 100;
const maxEnding = 200;
const endsSoonMs = 7 * dayMs;

/**
 * Makes no upstream call. The call counts as a visit: the next one shows deliveries given up from now on. `today`: when the reader's day began
 * (ms).
 */
export async function homeOverview(
  world: World,
  caller: Caller,
  span: HomeSpan,
  today: number,
): Promise<HomeOverview> {
  const { accountId } = caller;
  const now = world.clock.now();
  const [keys, channels, subscriptions] = await Promise.all([
    world.stores.keys.page(accountId, { limit: 1, cursor: null }),
    listChannelsWithHealth(world, caller, { limit: maxChannels, cursor: null }),
    world.stores.subscriptions.endingOf(accountId, now + endsSoonMs, maxEnding),
  ]);
  const channelIds = channels.items.map(({ channel }) => channel.id);
  const others =
    channels.nextCursor === null ? none : await lookUpOthers(world, caller, { channelIds, subscriptions });
  const [history, waiting, givenUp] = await Promise.all([
    readHistory(world, { accountId, channelIds, span, today }),
    countWaiting(world, { accountId, channelIds, isAll: channels.nextCursor === null }),
    findNews(world, caller, [...channels.items, ...others.troubledOthers]),
  ]);
  return {
    hasKey: keys.items.length > 0,
    channels,
    ...others,
    history,
    waiting,
    givenUp,
    endingLicences: listEnding(subscriptions, now, world.settings.graceMs),
  };
}

type Others = Pick<HomeOverview, 'troubledOthers' | 'areLicencesKnown'>;

const none: Others = { troubledOthers: [], areLicencesKnown: true };

interface Examined {
  channelIds: readonly string[];
  /** Those that end soon, or have. */
  subscriptions: readonly Subscription[];
}

/** Along the account's indexes of what is wrong, so that no other channel is read. */
async function lookUpOthers(
  world: World,
  { accountId }: Caller,
  { channelIds, subscriptions }: Examined,
): Promise<Others> {
  const { stores, clock, settings } = world;
  const since = clock.now() - settings.deliveryLogMs;
  const page = { limit: maxFailed, cursor: null };
  const [ailing, failed, withoutLicence] = await Promise.all([
    stores.health.ailing(accountId, maxAiling),
    stores.deliveryLog.list({ accountId, channelId: null, since, event: null, state: 'failed', page }),
    findWithoutLicence(world, accountId, subscriptions),
  ]);
  const kinds = [...ailing, withoutLicence.channelIds, failed.items.map(({ channelId }) => channelId)];
  const examined = new Set(channelIds);
  const others = kinds.map((ids) => [...new Set(ids)].filter((id) => !examined.has(id)));
  const troubledOthers = await readChannelsWithHealth(world, { accountId }, takeInTurn(others, maxOthers));
  return { troubledOthers, areLicencesKnown: withoutLicence.isAll };
}

/** A licence with auto-renewal is listed only after its end: then the provider was not paid. */
function listEnding(subscriptions: readonly Subscription[], now: number, graceMs: number): Subscription[] {
  return subscriptions.filter((subscription) => {
    const { expiresAt, autoRenew } = subscription;
    if (expiresAt === null || !isOperable(subscription, now, graceMs)) return false;
    return expiresAt - now <= (autoRenew ? 0 : endsSoonMs);
  });
}
