/** Retention times of stored data, and the jobs that delete what has expired. */
import type { Stores } from '../features/stores.ts';
import { dayMs, minuteMs } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { runAll } from '../kernel/serial.ts';
import { maxFailedRetentionDays } from '../rules/channels/channel.ts';
import { agreedNow, agreedTime } from '../storage/agreed-time.ts';
import type { NodeWork } from './node-work.ts';

interface Parts {
  stores: Stores;
  own: NodeWork;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** [operator-interface §2, DELIVERY_LOG_DAYS] */
  deliveryLogDays: number;
  /** [operator-interface §2, DIGEST_INTERVAL_MS] */
  digestIntervalMs: number;
}

/** The clocks of nodes and the store's server differ by less. */
const mostApartMs = minuteMs;
/** How long an expired file is answered with 410, before 404. [operator-interface §4: media after its expiry] */
const keepGoneMs = dayMs;
/** The longest time that a mailed link works: that of a confirmation. */
const keepLinksMs = 3 * dayMs;
/**
 * A finished message is needed to recognize a redelivery by upstream, to match a late status, and to be answered: a day is the least that is
 * useful.
 */
const keepFinishedDays = 1;
/**
 * The mail server is offered a mail for three days, and the mail about a trial's end is sent once, three days ahead. A mail that gathers lines
 * is offered after a digest's interval. [faults: 454]
 */
const keepMailsDays = 8;
/** Home shows 30 days, including the hour in which they begin. */
const keepHoursDays = 31;
/**
 * A replay whose receiver fails again proceeds by some hundred deliveries an hour, also beyond the retention of the log. Whatever it was begun
 * for is erased by then. [faults: 455]
 */
const keepOpenReplaysDays = maxFailedRetentionDays + 1;
/** [operator-interface §3] */
const keepAuditDays = 365;

/** Erases deliveries and messages that ended before the retention of the log. Stops early, between two slices, when the signal aborts. */
export async function eraseFinished(parts: Parts, stopping: AbortSignal): Promise<void> {
  const before = (await agreedNow(parts)) - logLastsMs(parts);
  await parts.stores.dueWork.dropFinished(before, stopping);
}

/** How long what has ended is kept, shown, and can be referred to. [operator-interface §2, DELIVERY_LOG_DAYS] */
export function logLastsMs({ deliveryLogDays }: { deliveryLogDays: number }): number {
  return Math.round(Math.max(keepFinishedDays, deliveryLogDays) * dayMs);
}

/** Deletes expired and finished data, except what `eraseFinished` erases. Stops early when the signal aborts. */
export async function runHousekeeping(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { stores, own, log, deliveryLogDays, digestIntervalMs } = parts;
  const { now, aheadMs } = await agreedTime(parts);
  if (aheadMs > mostApartMs) log.warn({ ms: aheadMs }, 'clock.ahead');
  // What it stores is as old to the others as its clock is behind: they erase it that much too early.
  if (aheadMs < -mostApartMs) log.warn({ ms: -aheadMs }, 'clock.behind');
  const logEndsAt = now - logLastsMs(parts);
  const hoursEndAt = now - Math.max(keepHoursDays, deliveryLogDays) * dayMs;
  const openReplaysEndAt = now - keepOpenReplaysDays * dayMs;
  const mailsEndAt = now - digestIntervalMs - Math.max(keepMailsDays, deliveryLogDays) * dayMs;
  const steps = [
    () => stores.channels.dropExpiredReservations(now),
    () => stores.setupSessions.dropExpired(now, stopping),
    () => stores.media.dropExpired(now, now - keepGoneMs, stopping),
    () => stores.uploads.dropExpired(now - keepGoneMs, stopping),
    () => stores.passes.dropExpired(now, stopping),
    () => stores.mails.dropLinks(now - keepLinksMs, stopping),
    () => stores.idempotency.dropOlder(now - dayMs, stopping),
    () =>
      stores.replays.dropOlder({ ended: logEndsAt, open: Math.min(logEndsAt, openReplaysEndAt) }, stopping),
    () => stores.deliveryHours.dropOlder(hoursEndAt, stopping),
    ...(aheadMs > mostApartMs ? [] : byOwnClock(own, stopping)),
    () => own.bringBackStrandedFacts(),
    () => stores.audit.dropOlder(now - keepAuditDays * dayMs, stopping),
    () => own.trimAudit(stopping),
    () => own.backFillAccountWords(),
    () => own.backFillChannelWords(),
    // `reconnect` mails stay: their record makes sure that an owner gets one mail about a refused token, however long that lasts.
    () => stores.mails.dropOlder(mailsEndAt, 'reconnect', stopping),
  ];
  await runAll(steps, stopping);
}

/** What a node erases by its own clock; one whose clock is ahead leaves that to the turns of the others. */
function byOwnClock(own: NodeWork, stopping: AbortSignal): (() => Promise<unknown>)[] {
  return [
    () => own.trimBuffers(stopping),
    () => own.sweepKeptDeliveries(stopping),
    () => own.dropOldTemplates(stopping),
    () => own.dropUnconfirmed(),
  ];
}
