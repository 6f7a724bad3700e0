/** Deliveries given up since a person's last visit of Home. */
import { continueVisit } from '../../domain/accounts/home-visit.ts';
import { testEvent } from '../../domain/events/table.ts';
import { parseAttempts } from '../../domain/webhooks/attempt-log.ts';
import { asError } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import type { FaringChannel } from '../channels/types.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { LoggedDelivery } from '../ports/delivery-log.ts';
import type { Page } from '../ports/paging.ts';
import type { Counted, GivenUpNews } from './types.ts';

/** Most failing channels examined, latest failure first. */
const maxLookedAt = 20;
const maxCounted = 100;
/** Longest time between creation and giving up: waiting plus all attempts. */
const madeBeforeMs = 7_200_000;

export async function findNews(
  deps: UseCaseDeps,
  caller: Caller,
  channels: Page<FaringChannel>,
): Promise<GivenUpNews> {
  const since = await noteVisit(deps, caller);
  const logged = deps.clock.now() - deps.settings.deliveryLogMs;
  const from = Math.max(since ?? 0, logged);
  // A delivery is given up only after a failed attempt.
  const failed = channels.items
    .filter(({ health }) => (health.deliveryFailedAt ?? 0) >= from)
    .toSorted((a, b) => (b.health.deliveryFailedAt ?? 0) - (a.health.deliveryFailedAt ?? 0));
  const counted = await Promise.all(
    failed.slice(0, maxLookedAt).map(async ({ channel }) => {
      const { accountId } = caller;
      return { channel, ...(await countGivenUp(deps, { accountId, channelId: channel.id, from, logged })) };
    }),
  );
  return { since, channels: counted.filter(({ count }) => count > 0), isMore: failed.length > maxLookedAt };
}

/** Time of this person's last visit; records this one without waiting for the write. */
async function noteVisit({ stores, clock, log }: UseCaseDeps, { person }: Caller): Promise<number | null> {
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
  { stores }: UseCaseDeps,
  { from, logged, ...where }: { accountId: string; channelId: string; from: number; logged: number },
): Promise<Counted> {
  const { items } = await stores.deliveryLog.list({
    ...where,
    since: Math.max(logged, from - madeBeforeMs),
    event: null,
    state: 'failed',
    page: { limit: maxCounted + 1, cursor: null },
  });
  const count = items.filter((delivery) => delivery.event !== testEvent && endedAt(delivery) > from).length;
  return { count: Math.min(count, maxCounted), isMore: count > maxCounted };
}

/** End of the last attempt; for a delivery without attempts its creation is the best known time. */
function endedAt({ attemptLog, createdAt }: LoggedDelivery): number {
  const last = parseAttempts(attemptLog).at(-1);
  return last === undefined ? createdAt : last.at + last.durationMs;
}
