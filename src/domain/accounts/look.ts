/**
 * What a person has not seen yet began when their look before this one ended. Views of Home that follow one another within half an hour
 * are one look: who loads the page again, or comes back from what it leads to, finds the same.
 */
import type { Person } from './person.ts';

type Looks = Pick<Person, 'homeSeenAt' | 'homeSince'>;

const sameLookMs = 1_800_000;
/** Within one look no more often is it noted that it goes on. */
const noteEveryMs = 300_000;

/** `since`: what came later is news; null: they have never looked. `noted`: what is to be kept of it; null: nothing new. */
export function lookAgain(
  { homeSeenAt, homeSince }: Looks,
  now: number,
): { since: number | null; noted: Looks | null } {
  if (homeSeenAt === null || now - homeSeenAt > sameLookMs)
    return { since: homeSeenAt, noted: { homeSeenAt: now, homeSince: homeSeenAt } };
  const isOld = now - homeSeenAt > noteEveryMs;
  return { since: homeSince, noted: isOld ? { homeSeenAt: now, homeSince } : null };
}
