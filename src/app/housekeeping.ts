/** How long what is stored is kept, and the round that drops the rest. */
import type { Clock } from '../kernel/clock.ts';
import { eachInTurn } from '../kernel/each-in-turn.ts';
import type { NodeUseCases } from '../use-cases/node.ts';
import type { Stores } from '../use-cases/ports/stores.ts';

interface Parts {
  stores: Stores;
  useCases: NodeUseCases;
  clock: Clock;
  /** [operator-interface §2, DELIVERY_LOG_DAYS] */
  deliveryLogDays: number;
}

const dayMs = 86_400_000;
/** So long an expired file is answered 410, then 404. [operator-interface §4: media after its expiry] */
const keepGoneMs = dayMs;
/** As long as any of them works: those of confirmations. */
const keepLinksMs = 3 * dayMs;
/** What is finished tells a repeat of upstream's from news, and a status from one of nobody's: a day is the least that is of use. */
const keepFinishedDays = 1;
/** A mail server is offered a mail for three days, and a trial's end is told three days ahead, once. */
const keepMailsDays = 8;
/** A week is looked at, and the hour that it begins in. */
const keepHoursDays = 8;
/** [operator-interface §3] */
const keepAuditDays = 365;

/** Drops what has expired or ended. */
export async function keepHouse({ stores, useCases, clock, deliveryLogDays }: Parts): Promise<void> {
  const now = clock.now();
  const logEndsAt = now - Math.max(keepFinishedDays, deliveryLogDays) * dayMs;
  await eachInTurn([
    () => stores.channels.dropExpiredReservations(now),
    () => stores.setupSessions.dropExpired(now),
    () => stores.media.dropExpired(now, now - keepGoneMs),
    () => stores.passes.dropExpired(now),
    () => stores.mails.dropLinks(now - keepLinksMs),
    () => stores.idempotency.dropOlder(now - dayMs),
    () => useCases.trimGathered(),
    () => stores.dueWork.dropFinished(logEndsAt),
    () => useCases.sweepKeptDeliveries(),
    () => stores.replays.dropOlder(logEndsAt),
    () => stores.deliveryHours.dropOlder(now - Math.max(keepHoursDays, deliveryLogDays) * dayMs),
    () => useCases.bringBackStrandedFacts(),
    () => useCases.dropOldTemplates(),
    () => useCases.dropUnproved(),
    () => stores.audit.dropOlder(now - keepAuditDays * dayMs),
    () => useCases.trimAudit(),
    () => useCases.keepOlderWords(),
    // Of a token that is refused its owner is told once, however long that lasts.
    () => stores.mails.dropOlder(now - Math.max(keepMailsDays, deliveryLogDays) * dayMs, 'reconnect'),
  ]);
}
