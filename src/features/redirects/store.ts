/** Redirect patterns of an API key. */
import { readPage } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';
import { redirects as redirectsEntity } from './entity.ts';
import type { StoredRedirect, Redirect } from './entity.ts';

export function redirectStore(recordsOf: RecordsOf) {
  const redirects = recordsOf(redirectsEntity);

  /** Place and pattern are unique per key: of concurrent calls at most `max` succeed, and no pattern is added twice. */
  async function add(redirect: Redirect, max: number): Promise<Redirect | null> {
    for (;;) {
      const { apiKeyId, uriPattern } = redirect;
      const held = await redirects.list({ by: 'ofKey', equal: { apiKeyId }, limit: null });
      const same = held.find((one) => one.uriPattern === uriPattern);
      if (same !== undefined) return toRedirect(same);
      const place = freePlace(held, max);
      if (place === null) return null;
      // Another caller was faster, or an earlier attempt succeeded and its answer was lost: the next round tells which.
      if (await redirects.insert({ ...redirect, place, uniquePattern: uriPattern })) return redirect;
    }
  }

  return {
    async list(apiKeyId: string, page: PageRequest): Promise<Page<Redirect>> {
      const { items, nextCursor } = await readPage(redirects, { by: 'ofKey', equal: { apiKeyId } }, page);
      return { items: items.map(toRedirect), nextCursor };
    },
    /**
     * Patterns of a key are unique, also under concurrent inserts. Returns the stored redirect, which has another id if the pattern was
     * there; null if the key has `max` others.
     */
    add,
    /**
     * Removes every redirect with the same pattern: data of earlier versions may contain duplicates. Returns the removed redirect; of
     * concurrent callers exactly one gets it.
     */
    async remove(id: string, apiKeyId: string): Promise<Redirect | null> {
      const found = await redirects.one({ id, apiKeyId });
      if (found === null) return null;
      const count = await redirects.remove({ apiKeyId, uriPattern: found.uriPattern });
      return count > 0 ? toRedirect(found) : null;
    },
    /** Removes all patterns of the key. */
    async removeAll(apiKeyId: string): Promise<void> {
      await redirects.remove({ apiKeyId });
    },
  };
}

export type RedirectStore = ReturnType<typeof redirectStore>;

function toRedirect(kept: StoredRedirect): Redirect {
  const { place: _place, uniquePattern: _pattern, ...redirect } = kept;
  return redirect;
}

/**
 * Returns null if no place is free. Redirects of older versions have no place. One of the free places by chance: concurrent callers
 * that all tried the first would need a round for each place. [faults: 208]
 */
function freePlace(held: readonly StoredRedirect[], max: number): number | null {
  if (held.length >= max) return null;
  const taken = new Set(held.map(({ place }) => place));
  const free = Array.from({ length: max }, (_, place) => place).filter((place) => !taken.has(place));
  return free[Math.floor(Math.random() * free.length)] ?? null;
}
