/** Whether two sets of names are surely of two people. */
import { isDigits } from '../channels/recipient.ts';

/** A number that is dialled may differ from that of its account by digits in the middle, and from its local form by those in front. */
const sameEnding = 6;
/** Of several portfolios; one person has such an id beside that of the channel's portfolio. */
const parentId = /^[A-Z]{2}\.ENT\./;

/** All names that are known of either. Names of different sorts that nobody has told to be one person's may still be. [faults: 370] */
export function arePeopleApart(names: readonly string[], others: readonly string[]): boolean {
  if (others.some((name) => names.includes(name))) return false;
  const [endings, otherEndings] = [endingsOf(names), endingsOf(others)];
  if (endings.length > 0 && otherEndings.length > 0)
    return !otherEndings.some((ending) => endings.includes(ending));
  return names.some(isOwnId) && others.some(isOwnId);
}

function endingsOf(names: readonly string[]): string[] {
  return names.filter(isDigits).map((number) => number.slice(-sameEnding));
}

function isOwnId(name: string): boolean {
  return !isDigits(name) && !parentId.test(name);
}
