/** The first `limit` distinct items, one of each list in turn, so that a long list does not hide a short one. */
export function takeInTurn(lists: readonly (readonly string[])[], limit: number): string[] {
  const taken = new Set<string>();
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let at = 0; at < longest; at += 1)
    for (const list of lists) {
      const item = list[at];
      if (item !== undefined && taken.size < limit) taken.add(item);
    }
  return [...taken];
}
