/**
 * Visits of the portal's Home page. Page views less than half an hour apart are one visit, so that a reload shows the same
 * news. News are the events since the end of the previous visit.
 */
import type { Person } from './person.ts';

type Visit = Pick<Person, 'homeSeenAt' | 'homeSince'>;

const sameVisitMs = 1_800_000;
/** Shortest interval between writes during one visit. */
const noteEveryMs = 300_000;

/** `since`: start of the news; null: first visit. `noted`: fields to store; null: nothing to store. */
export function continueVisit(
  { homeSeenAt, homeSince }: Visit,
  now: number,
): { since: number | null; noted: Visit | null } {
  if (homeSeenAt === null || now - homeSeenAt > sameVisitMs)
    return { since: homeSeenAt, noted: { homeSeenAt: now, homeSince: homeSeenAt } };
  const isOld = now - homeSeenAt > noteEveryMs;
  return { since: homeSince, noted: isOld ? { homeSeenAt: now, homeSince } : null };
}
