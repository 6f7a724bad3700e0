/** Small components that pages share. */
import { Fragment, isValidElement } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { cursorFields, readPage, pagingFields } from '../http/validation/query.ts';
import { toIso, minuteMs, dayMs, hourMs } from '../kernel/clock.ts';
import type { PageRequest, PagePosition, TwoWayPage, TwoWayPageRequest } from '../kernel/paging.ts';
import { personPath } from './paths.ts';
import { Doing } from './reader-role.tsx';

const units: [ms: number, name: string][] = [
  [dayMs, 'd'],
  [hourMs, 'h'],
  [minuteMs, 'min'],
];

/** "3 min ago", with the exact time for programs and as a tooltip. */
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

/** A time, or "never". */
export function Maybe({ at, now }: { at: number | null; now: number }): VNode {
  return at === null ? <span class="dim">never</span> : <When at={at} now={now} />;
}

/** Longer text may break at the end of its column, also on a phone. */
const mostInOnePiece = 20;

/** A number, user name or id: unbroken, and isolated from the text direction around it. */
export function Whole({ text }: { text: string }): VNode {
  return <bdi class={text.length > mostInOnePiece ? undefined : 'nowrap'}>{text}</bdi>;
}

/** Link to all messages with this person, by number or id. */
export function PersonLink({ person }: { person: string }): VNode {
  return (
    <a class="mono" href={personPath(person)}>
      <Whole text={person} />
    </a>
  );
}

/** An id or secret in full, with a copy button if scripts run. */
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

/** Commands to paste into a terminal. */
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

/** A state in one word; the colour only emphasizes it. */
export function State({ tone, children }: { tone: Tone; children: ComponentChildren }): VNode {
  return <span class={`state ${tone}`}>{children}</span>;
}

/** Placeholder of an empty list: what will be shown, and how to get there. */
export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <div class="empty">{children}</div>;
}

interface FirstStepProps {
  path: string;
  /** On the button. */
  word: string;
  children: ComponentChildren;
}

/** In place of a list whose items need something first: why the list is empty, and a button that leads there. */
export function FirstStep({ path, word, children }: FirstStepProps): VNode {
  return (
    <Empty>
      <p>{children}</p>
      <Doing>
        <a class="button" href={path}>
          {word}
        </a>
      </Doing>
    </Empty>
  );
}

export const perPage = 50;

/** The page of a list that the URL selects; an invalid cursor selects the first. */
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

/** Like `pageIn`, for a list that can be paged in both directions. */
export function twoWayPageIn(query: URLSearchParams): TwoWayPageRequest {
  const { cursor } = pageIn(query);
  return { limit: perPage, cursor, isBack: cursor !== null && query.has('back') };
}

/** `path` may have a query of its own. */
export function Pager({ path, page }: { path: string; page: TwoWayPage<unknown> }): VNode | null {
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

/** On a phone a cell is a flex row: a wrapper keeps the parts of a fragment together. */
function asOne(cell: ComponentChildren): ComponentChildren {
  // A column beside a long name shrinks until its words break.
  if (typeof cell === 'string' && /^\S{1,14}$/.test(cell)) return <span class="nowrap">{cell}</span>;
  return isValidElement(cell) && cell.type === Fragment ? <div>{cell}</div> : cell;
}

/** A table whose rows become cards on a phone, where each cell shows its head. */
export function Rows({
  heads,
  rows,
  keys = [],
}: {
  heads: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  /** Identify the rows when the page refreshes itself. */
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

/** One entry of a list of facts. */
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
  /** Words by the query parameter with which an action redirected here. */
  words: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** Confirms the action that redirected to this page. */
export function Done({ words, query }: DoneProps): VNode | null {
  const done = Object.keys(words).find((name) => query.has(name));
  return done === undefined ? null : <Announcement by={[done]}>{words[done]}</Announcement>;
}

interface AnnouncementProps {
  /** The query parameters that caused it: `client/page.ts` removes them from the address, so that a reload does not announce it again. */
  by: readonly string[];
  children: ComponentChildren;
}

/** What the action that redirected here has done, shown once. */
export function Announcement({ by, children }: AnnouncementProps): VNode {
  return (
    <p class="note" role="status" data-said={by.join(' ')}>
      {children}
    </p>
  );
}
