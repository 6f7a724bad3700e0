/** Deliveries given up since a person last looked at Home. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { continueVisit } from '../../rules/person.ts';
import { testEvent } from '../../rules/events/table.ts';
import { countsAsGivenUp, parseAttempts } from '../../rules/webhooks/delivery.ts';
import { dayMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { ChannelWithHealth } from '../channels/index.ts';
import type { LoggedDelivery } from '../deliveries/index.ts';

/** A count; `isMore`: a lower bound. */
export interface Counted {
  count: number;
  isMore: boolean;
}

/** Deliveries given up since the person's last visit. */
export interface GivenUpNews {
  /** null: the first visit, or one before the log of deliveries begins. */
  since: number | null;
  /** How far back that log goes. */
  logDays: number;
  /** Latest failure first. */
  channels: readonly (Counted & { channel: Channel })[];
  /** Some channels with failures were not examined. */
  isMore: boolean;
}

/** Most failing channels examined, latest failure first. */
const maxLookedAt = 20;
const maxCounted = 100;
/** Longest time between creation and giving up: waiting plus all attempts. */
const madeBeforeMs = 7_200_000;

/** The call counts as a visit: the next one finds deliveries given up from now on. */
export async function findNews(
  world: World,
  caller: Caller,
  channels: readonly ChannelWithHealth[],
): Promise<GivenUpNews> {
  const since = await noteVisit(world, caller);
  const logged = world.clock.now() - world.settings.deliveryLogMs;
  const from = Math.max(since ?? 0, logged);
  // A delivery is given up only after a failed attempt.
  const failed = channels
    .filter(({ health }) => (health.deliveryFailedAt ?? 0) >= from)
    .toSorted((a, b) => (b.health.deliveryFailedAt ?? 0) - (a.health.deliveryFailedAt ?? 0));
  const counted = await Promise.all(
    failed.slice(0, maxLookedAt).map(async ({ channel }) => {
      const { accountId } = caller;
      return { channel, ...(await countGivenUp(world, { accountId, channelId: channel.id, from, logged })) };
    }),
  );
  return {
    since: since !== null && since < logged ? null : since,
    logDays: world.settings.deliveryLogMs / dayMs,
    channels: counted.filter(({ count }) => count > 0),
    isMore: failed.length > maxLookedAt,
  };
}

/** Time of this person's last visit; records this one without waiting for the write. */
async function noteVisit({ stores, clock, log }: World, { person }: Caller): Promise<number | null> {
  const known = person === undefined ? null : await stores.people.byId(person.id);
  if (known === null) return null;
  const { since, noted } = continueVisit(known, clock.now());
  if (noted !== null)
    stores.people
      .noteLook(known.id, noted)
      .catch((thrown: unknown) =>
        log.warn({ error: asError(thrown), person: known.id }, 'portal.not-noted-seen'),
      );
  return since;
}

async function countGivenUp(
  { stores }: World,
  { from, logged, ...where }: { accountId: string; channelId: string; from: number; logged: number },
): Promise<Counted> {
  const { items } = await stores.deliveryLog.list({
    ...where,
    since: Math.max(logged, from - madeBeforeMs),
    event: null,
    state: 'failed',
    page: { limit: maxCounted + 1, cursor: null },
  });
  const count = items.filter((delivery) => isGivenUp(delivery) && endedAt(delivery) > from).length;
  return { count: Math.min(count, maxCounted), isMore: count > maxCounted };
}

/** As in the counts of an hour. */
function isGivenUp({ event, lastResult, keptSince }: LoggedDelivery): boolean {
  return event !== testEvent && countsAsGivenUp(lastResult, keptSince !== null);
}

/** End of the last attempt; for a delivery without attempts its creation is the best known time. */
function endedAt({ attemptLog, createdAt }: LoggedDelivery): number {
  const last = parseAttempts(attemptLog).at(-1);
  return last === undefined ? createdAt : last.at + last.durationMs;
}
