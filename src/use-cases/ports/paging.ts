/** How a list is read page by page. */

/** Where an item stands in a list that is ordered by time (ms) and id; it says so even when the item is gone. */
export interface PagePosition {
  createdAt: number;
  id: string;
}

/** Of one moment, the greater id is the newer. */
export function newestFirst(a: PagePosition, b: PagePosition): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.id > b.id ? -1 : 1;
}

export const oldestFirst = (a: PagePosition, b: PagePosition): number => newestFirst(b, a);

export const isNewer = (a: PagePosition, b: PagePosition): boolean => newestFirst(a, b) < 0;

/** null: a page that is empty has no such item. */
export function cursorAt(item: PagePosition | undefined): PagePosition | null {
  return item === undefined ? null : { createdAt: item.createdAt, id: item.id };
}

/** A page of a list; it starts after `cursor`. null limit: everything. [operator-interface §4] */
export interface PageRequest {
  limit: number | null;
  cursor: PagePosition | null;
}

/** The whole list at once: where it has a handful of items, or all of them are needed. */
export const everything: PageRequest = { limit: null, cursor: null };

export interface Page<T> {
  items: T[];
  /** null: no more. */
  nextCursor: PagePosition | null;
}

/** As a person turns pages: `isBack` asks for the page that ends before `cursor`. */
export interface TurnRequest {
  limit: number;
  cursor: PagePosition | null;
  isBack: boolean;
}

/** In the order of the list, whichever way it was turned to. */
export interface TurnedPage<T> extends Page<T> {
  /** null: nothing stands before it. */
  previousCursor: PagePosition | null;
}
