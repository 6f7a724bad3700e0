/**
 * Visits of the portal's Home page. Page views less than half an hour apart are one visit, so that a reload shows the same
 * news. News are the events since the end of the previous visit.
 */
import type { Person } from './person.ts';

type Looks = Pick<Person, 'homeSeenAt' | 'homeSince'>;

const sameLookMs = 1_800_000;
/** Shortest interval between writes during one visit. */
const noteEveryMs = 300_000;

/** `since`: start of the news; null: first visit. `noted`: fields to store; null: nothing to store. */
export function lookAgain(
  { homeSeenAt, homeSince }: Looks,
  now: number,
): { since: number | null; noted: Looks | null } {
  if (homeSeenAt === null || now - homeSeenAt > sameLookMs)
    return { since: homeSeenAt, noted: { homeSeenAt: now, homeSince: homeSeenAt } };
  const isOld = now - homeSeenAt > noteEveryMs;
  return { since: homeSince, noted: isOld ? { homeSeenAt: now, homeSince } : null };
}
