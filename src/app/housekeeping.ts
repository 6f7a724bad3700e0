/** Retention times of stored data, and the jobs that delete what has expired. */
import { dayMs } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import { runAll } from '../kernel/serial.ts';
import type { NodeUseCases } from '../use-cases/node.ts';
import type { Stores } from '../use-cases/ports/stores.ts';

interface Parts {
  stores: Stores;
  useCases: NodeUseCases;
  clock: Clock;
  /** [operator-interface §2, DELIVERY_LOG_DAYS] */
  deliveryLogDays: number;
}

/** How long an expired file is answered with 410, before 404. [operator-interface §4: media after its expiry] */
const keepGoneMs = dayMs;
/** The longest time that a mailed link works: that of a confirmation. */
const keepLinksMs = 3 * dayMs;
/** A finished message is needed to recognize a redelivery by upstream and to match a late status: a day is the least that is useful. */
const keepFinishedDays = 1;
/** The mail server is offered a mail for three days, and the mail about a trial's end is sent once, three days ahead. */
const keepMailsDays = 8;
/** Pages show a week, including the hour in which it begins. */
const keepHoursDays = 8;
/** [operator-interface §3] */
const keepAuditDays = 365;

/** Erases deliveries and messages that ended before the retention of the log. Stops early, between two slices, when the signal aborts. */
export async function eraseFinished(parts: Parts, stopping: AbortSignal): Promise<void> {
  await parts.stores.dueWork.dropFinished(endOfLog(parts), stopping);
}

function endOfLog({ clock, deliveryLogDays }: Parts): number {
  return clock.now() - Math.max(keepFinishedDays, deliveryLogDays) * dayMs;
}

/** Deletes expired and finished data, except what `eraseFinished` erases. */
export async function runHousekeeping(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { stores, useCases, clock, deliveryLogDays } = parts;
  const now = clock.now();
  const logEndsAt = endOfLog(parts);
  await runAll([
    () => stores.channels.dropExpiredReservations(now),
    () => stores.setupSessions.dropExpired(now),
    () => stores.media.dropExpired(now, now - keepGoneMs),
    () => stores.passes.dropExpired(now),
    () => stores.mails.dropLinks(now - keepLinksMs),
    () => stores.idempotency.dropOlder(now - dayMs, stopping),
    () => useCases.trimBuffers(),
    () => useCases.sweepKeptDeliveries(),
    () => stores.replays.dropOlder(logEndsAt),
    () => stores.deliveryHours.dropOlder(now - Math.max(keepHoursDays, deliveryLogDays) * dayMs),
    () => useCases.bringBackStrandedFacts(),
    () => useCases.dropOldTemplates(),
    () => useCases.dropUnconfirmed(),
    () => stores.audit.dropOlder(now - keepAuditDays * dayMs),
    () => useCases.trimAudit(),
    () => useCases.backFillAccountWords(),
    // `reconnect` mails stay: their record makes sure that an owner gets one mail about a refused token, however long that lasts.
    () => stores.mails.dropOlder(now - Math.max(keepMailsDays, deliveryLogDays) * dayMs, 'reconnect'),
  ]);
}
