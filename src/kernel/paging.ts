/** Reading a list page by page. */
import { yieldToLoop } from './clock.ts';

/** An item's position in a list ordered by time (ms) and id; valid even if the item is deleted. */
export interface PagePosition {
  createdAt: number;
  id: string;
}

/** At equal times the greater id is newer. */
export function newestFirst(a: PagePosition, b: PagePosition): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.id > b.id ? -1 : 1;
}

export const oldestFirst = (a: PagePosition, b: PagePosition): number => newestFirst(b, a);

export const isNewer = (a: PagePosition, b: PagePosition): boolean => newestFirst(a, b) < 0;

/** Returns null for the missing item of an empty page. */
export function cursorAt(item: PagePosition | undefined): PagePosition | null {
  return item === undefined ? null : { createdAt: item.createdAt, id: item.id };
}

/** The page starts after `cursor`; `limit` null reads the whole list. [operator-interface §4] */
export interface PageRequest {
  limit: number | null;
  cursor: PagePosition | null;
}

/** Items of a page if the request does not say how many, in lists that may have a million items. */
export const defaultLimit = 100;

/** The whole list at once: for short lists, or if the caller needs every item. */
export const everything: PageRequest = { limit: null, cursor: null };

export interface Page<T> {
  items: T[];
  /** null: last page. */
  nextCursor: PagePosition | null;
}

/** A page of a short list that is read whole, oldest first. */
export function pageOf<T extends PagePosition>(all: readonly T[], { limit, cursor }: PageRequest): Page<T> {
  const rest = cursor === null ? [...all] : all.filter((item) => isNewer(item, cursor));
  const items = limit === null ? rest : rest.slice(0, limit);
  return { items, nextCursor: items.length < rest.length ? cursorAt(items.at(-1)) : null };
}

/** Paging in both directions: `isBack` asks for the page that ends before `cursor`. */
export interface TwoWayPageRequest {
  limit: number;
  cursor: PagePosition | null;
  isBack: boolean;
}

/** Items are in the order of the list, in both directions. */
export interface TwoWayPage<T> extends Page<T> {
  /** null: first page. */
  previousCursor: PagePosition | null;
}

const itemsPerPage = 200;

/** Iterates a list in the order of ids, page by page: concurrent inserts and deletes never make it skip other items. */
export async function* readById<T extends string | { id: string }>(
  readAfter: (id: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let after = ''; ;) {
    const page = await readAfter(after, itemsPerPage);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < itemsPerPage) return;
    // One node reads its file at once: without a turn for others a long list would be one turn. [faults: I9]
    await yieldToLoop();
    after = typeof last === 'string' ? last : last.id;
  }
}
