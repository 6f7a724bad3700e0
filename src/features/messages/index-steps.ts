import { endOfPrefix } from '../../storage/records.ts';

type Beginning = { from: string; below: string } | { above: string; below: string };

/** The distinct values that begin with `prefix`, each found from the one before. */
export async function steps(
  prefix: string,
  limit: number,
  first: (range: Beginning) => Promise<string | null>,
): Promise<string[]> {
  const below = endOfPrefix(prefix);
  const found: string[] = [];
  let next = await first({ from: prefix, below });
  while (next !== null && found.length < limit) {
    found.push(next);
    next = await first({ above: next, below });
  }
  return found;
}
