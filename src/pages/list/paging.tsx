/** The page of a list that the URL selects, and the ways to the others. */
import type { ComponentChildren, VNode } from 'preact';
import { cursorFields, readPage, pagingFields } from '../../http/validation/query.ts';
import { When } from '../time.tsx';
import type { PageRequest, PagePosition, TwoWayPage, TwoWayPageRequest } from '../../kernel/paging.ts';

/** So that a page of the longest rows is within 60 KB, uncompressed. */
export const perPage = 35;

/** An invalid cursor selects the first page. */
export function pageIn(query: URLSearchParams): PageRequest {
  const cursor = query.get('cursor');
  const asked = new URLSearchParams({ limit: String(perPage), ...(cursor === null ? {} : { cursor }) });
  try {
    return readPage(asked);
  } catch {
    return { limit: perPage, cursor: null }; // an address somebody has cut off
  }
}

/** Like `pageIn`, for a list that can be paged in both directions. */
export function twoWayPageIn(query: URLSearchParams): TwoWayPageRequest {
  const { cursor } = pageIn(query);
  return { limit: perPage, cursor, isBack: cursor !== null && query.has('back') };
}

interface MoreProps {
  /** May have a query of its own. */
  path: string;
  page: PageRequest;
  next: PagePosition | null;
}

export function More({ path, page, next }: MoreProps): VNode | null {
  const cursor = pagingFields(page, next).next_cursor ?? null;
  if (cursor === null && page.cursor === null) return null;
  return (
    <Pages>
      {page.cursor === null ? null : <Way to={path}>First page</Way>}
      {cursor === null ? null : <Way to={withCursor(path, cursor)}>Next page</Way>}
    </Pages>
  );
}

/** `path` may have a query of its own. */
export function Pager({ path, page }: { path: string; page: TwoWayPage<unknown> }): VNode | null {
  const [newer, older] = [page.previousCursor, page.nextCursor].map(
    (place) => cursorFields(place).next_cursor,
  );
  if (newer == null && older == null) return null;
  return (
    <Pages>
      {newer == null ? null : (
        <>
          <Way to={path}>Newest</Way>
          <Way to={`${withCursor(path, newer)}&back`}>Newer</Way>
        </>
      )}
      {older == null ? null : <Way to={withCursor(path, older)}>Older</Way>}
    </Pages>
  );
}

interface ShownProps {
  /** Newest first, if they have times (`createdAt`, ms). */
  items: readonly unknown[];
  now: number;
}

/** How many items the page shows, and of which span. */
export function Shown({ items, now }: ShownProps): VNode | null {
  if (items.length === 0) return null;
  const [newest, oldest] = [timeOf(items[0]), timeOf(items.at(-1))];
  return (
    <p class="count">
      {items.length} shown
      {newest === null || oldest === null ? null : (
        <>
          : <When at={oldest} now={now} /> to <When at={newest} now={now} />
        </>
      )}
    </p>
  );
}

function timeOf(item: unknown): number | null {
  if (typeof item !== 'object' || item === null || !('createdAt' in item)) return null;
  return typeof item.createdAt === 'number' ? item.createdAt : null;
}

function Pages({ children }: { children: ComponentChildren }): VNode {
  return (
    <nav class="more" aria-label="Pages">
      {children}
    </nav>
  );
}

function Way({ to, children }: { to: string; children: ComponentChildren }): VNode {
  return (
    <a class="button quiet" href={to}>
      {children}
    </a>
  );
}

function withCursor(path: string, cursor: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
}
