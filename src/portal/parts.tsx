/** Small parts that pages share. */
import { Fragment, isValidElement } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { cursorFields, readPage, pagingFields } from '../http/validation/query.ts';
import { toIso } from '../kernel/clock.ts';
import type { PageRequest, PagePosition, TurnedPage, TurnRequest } from '../use-cases/ports/paging.ts';
import { personPath } from './paths.ts';

const minuteMs = 60_000;
const units: [ms: number, name: string][] = [
  [24 * 60 * minuteMs, 'd'],
  [60 * minuteMs, 'h'],
  [minuteMs, 'min'],
];

/** "3 min ago", with the exact time for machines and on hover. */
export function When({ at, now }: { at: number; now: number }): VNode {
  const distance = Math.abs(now - at);
  const isNow = distance < 10_000;
  const [ms, name] = units.find(([each]) => distance >= each) ?? [1_000, 's'];
  const span = `${Math.floor(distance / ms)} ${name}`;
  const words = at > now ? `in ${span}` : `${span} ago`;
  const iso = toIso(at);
  return (
    <time datetime={iso} title={iso}>
      {isNow ? (at > now ? 'in a moment' : 'just now') : words}
    </time>
  );
}

/** A time that may not have come. */
export function Maybe({ at, now }: { at: number | null; now: number }): VNode {
  return at === null ? <span class="dim">never</span> : <When at={at} now={now} />;
}

/** What is longer breaks where its column ends, on a phone too. */
const mostInOnePiece = 20;

/** A number, a handle or an id: in one piece, and in its own order whatever letters stand beside it. */
export function Whole({ text }: { text: string }): VNode {
  return <bdi class={text.length > mostInOnePiece ? undefined : 'nowrap'}>{text}</bdi>;
}

/** To what was between us and this person: by their number or id. */
export function PersonLink({ person }: { person: string }): VNode {
  return (
    <a class="mono" href={personPath(person)}>
      <Whole text={person} />
    </a>
  );
}

/** An id or secret, in full, with a button to copy it where scripts run. */
export function Copyable({ text, label }: { text: string; label: string }): VNode {
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${label}`} hidden>
        Copy
      </button>
    </span>
  );
}

/** Lines to paste into a terminal. */
export function Lines({ text, label }: { text: string; label: string }): VNode {
  return (
    <div class="lines">
      <pre tabindex={0}>{text}</pre>
      <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${label}`} hidden>
        Copy
      </button>
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'idle';

/** A word about a state; the colour only underlines it. */
export function State({ tone, children }: { tone: Tone; children: ComponentChildren }): VNode {
  return <span class={`state ${tone}`}>{children}</span>;
}

/** What will stand here, and how it comes about. */
export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <div class="empty">{children}</div>;
}

const perPage = 50;

/** The page that a list's address asks for; a cursor that is none starts over. */
export function pageIn(query: URLSearchParams): PageRequest {
  const cursor = query.get('cursor');
  const asked = new URLSearchParams({ limit: String(perPage), ...(cursor === null ? {} : { cursor }) });
  try {
    return readPage(asked);
  } catch {
    return { limit: perPage, cursor: null }; // an address somebody has cut off
  }
}

/** `path` may have a query of its own. */
export function More({
  path,
  page,
  next,
}: {
  path: string;
  page: PageRequest;
  next: PagePosition | null;
}): VNode | null {
  const cursor = pagingFields(page, next).next_cursor ?? null;
  if (cursor === null && page.cursor === null) return null;
  return (
    <nav class="more" aria-label="Pages">
      {page.cursor === null ? null : <a href={path}>First page</a>}
      {cursor === null ? null : (
        <a href={`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`}>Next page</a>
      )}
    </nav>
  );
}

/** As `pageIn`, for a list whose pages are turned either way. */
export function turnIn(query: URLSearchParams): TurnRequest {
  const { cursor } = pageIn(query);
  return { limit: perPage, cursor, isBack: cursor !== null && query.has('back') };
}

/** `path` may have a query of its own. */
export function Turn({ path, page }: { path: string; page: TurnedPage<unknown> }): VNode | null {
  const [newer, older] = [page.previousCursor, page.nextCursor].map(
    (place) => cursorFields(place).next_cursor,
  );
  if (newer == null && older == null) return null;
  const at = `${path}${path.includes('?') ? '&' : '?'}`;
  return (
    <nav class="more" aria-label="Pages">
      {newer == null ? null : (
        <>
          <a href={path}>Newest</a>
          <a href={`${at}cursor=${newer}&back`}>Newer</a>
        </>
      )}
      {older == null ? null : <a href={`${at}cursor=${older}`}>Older</a>}
    </nav>
  );
}

/** A card has a cell beside its head, and each thing in it in a column of its own. */
function asOne(cell: ComponentChildren): ComponentChildren {
  return isValidElement(cell) && cell.type === Fragment ? <div>{cell}</div> : cell;
}

/** Rows that become cards on a phone: each cell says there what it is. */
export function Rows({
  heads,
  rows,
  keys = [],
}: {
  heads: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  /** By which a page that follows by itself knows a row again. */
  keys?: readonly string[];
}): VNode {
  return (
    <table class="rows" role="table">
      <thead>
        <tr role="row">
          {heads.map((head) => (
            <th scope="col" role="columnheader">
              {head === '' ? <span class="unseen">Actions</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, n) => (
          <tr role="row" data-key={keys[n]}>
            {cells.map((cell, i) => (
              <td role="cell" data-head={heads[i]}>
                {asOne(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One line of a list of facts. */
export function Fact({
  name,
  mono,
  children,
}: {
  name: string;
  mono?: true;
  children: ComponentChildren;
}): VNode {
  return (
    <>
      <dt>{name}</dt>
      <dd class={mono === undefined ? undefined : 'mono'}>{children}</dd>
    </>
  );
}

interface DoneProps {
  /** By the parameter that the way here has in its query. */
  words: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** What was done on the way to this page. */
export function Done({ words, query }: DoneProps): VNode | null {
  const done = Object.keys(words).find((name) => query.has(name));
  return done === undefined ? null : (
    <p class="note" role="status">
      {words[done]}
    </p>
  );
}
