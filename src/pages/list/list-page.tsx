/** A page with one list: its filter, its rows, and the way to the other pages of the list. */
import type { ComponentChildren, VNode } from 'preact';
import type { Page, PagePosition, TwoWayPage, TwoWayPageRequest } from '../../kernel/paging.ts';
import { Empty, ShowAll } from './empty.tsx';
import { More, Pager, perPage, Shown, twoWayPageIn } from './paging.tsx';
import { Rows } from './rows.tsx';
import type { Trait } from './rows.tsx';
import type { PageContext } from '../session/context.ts';
import type { FramedPage } from '../frame.tsx';
import { FilterForm, readFilter, writeFilter } from './filter.tsx';
import type { Asked, Filter } from './filter.tsx';

/** What was read for one request. */
interface Listed<C, F extends Filter, R> {
  context: C;
  asked: Asked<F>;
  /** The filter as a query; '' for none. */
  query: string;
  found: R;
  now: number;
}

type AnyPage = Page<unknown>;
/** One line as text, or elements. */
type Words<L> = (list: L) => string | VNode;
type Part<L> = (list: L) => ComponentChildren;

/** The head; '' for a column of actions. How the column fits narrow pages: see `Trait`. */
type Column<T, L> = readonly [
  head: string,
  cell: (item: T, list: L) => ComponentChildren,
  traits?: readonly Trait[],
];

export interface ListSpec<C, F extends Filter, R extends AnyPage, L = Listed<C, F, R>> extends Pick<
  FramedPage,
  'title' | 'heading' | 'back' | 'status'
> {
  path: string;
  /** Default: the path. */
  at?: string;
  filter?: F;
  /**
   * One page of the list; with a `previousCursor`, the list can be paged in both directions. Stands before the parts that use what it
   * returns: their types follow from it.
   */
  read: (context: C, asked: Asked<F>, page: TwoWayPageRequest) => Promise<R>;
  columns: readonly Column<R['items'][number], L>[];
  /** Why there is nothing yet, and what to do. */
  empty: Words<L>;
  /** In place of `empty` if a filter is set. */
  noMatch?: Words<L>;
  /** Above the filter. */
  intro?: Part<L>;
  /** Says what is wrong with the filter, answered with 422; null: nothing. */
  wrong?: (list: L) => string | null;
  /** In place of the filter's form. */
  form?: Part<L>;
  /** Below the rows. */
  note?: Part<L>;
  /** Below the links to other pages. */
  after?: Part<L>;
}

/** Answers with the page that the URL selects; an unknown value of a filter or an invalid cursor is ignored. */
export async function answerListOver<
  C extends Pick<PageContext, 'clock' | 'query'>,
  F extends Filter,
  R extends AnyPage,
>(answer: (context: C, page: FramedPage) => void, context: C, spec: ListSpec<C, F, R>): Promise<void> {
  const { title, heading, back, path, at = path } = spec;
  const page = twoWayPageIn(context.query);
  const asked = readFilter(spec.filter, context.query);
  const found = await spec.read(context, asked, page);
  const list = { context, asked, query: writeFilter(asked), found, now: context.clock.now() };
  const wrong = spec.wrong?.(list) ?? null;
  answer(context, {
    title,
    ...(heading === undefined ? {} : { heading }),
    ...(back === undefined ? {} : { back }),
    at,
    status: wrong === null ? (spec.status ?? 200) : 422,
    children: <List spec={spec} list={list} wrong={wrong} cursor={page.cursor} />,
  });
}

interface ListProps<C, F extends Filter, R extends AnyPage> {
  spec: ListSpec<C, F, R>;
  list: Listed<C, F, R>;
  wrong: string | null;
  cursor: PagePosition | null;
}

function List<C, F extends Filter, R extends AnyPage>({
  spec,
  list,
  wrong,
  cursor,
}: ListProps<C, F, R>): VNode {
  const { path, filter, columns, intro, form, note, after } = spec;
  const { items } = list.found;
  return (
    <>
      {intro?.(list)}
      {form?.(list) ??
        (filter === undefined ? null : <FilterForm path={path} filter={filter} query={list.query} />)}
      {wrong === null ? null : (
        <p class="alert" role="alert">
          {wrong}
        </p>
      )}
      {items.length === 0 ? (
        <None words={(list.query === '' ? spec.empty : (spec.noMatch ?? spec.empty))(list)}>
          {list.query === '' ? null : <ShowAll path={path} />}
        </None>
      ) : (
        <Rows
          heads={columns.map(([head]) => head)}
          rows={items.map((item) => columns.map(([, cell]) => cell(item, list)))}
          traits={
            columns.some(([, , traits]) => traits) ? columns.map(([, , traits = []]) => traits) : undefined
          }
        />
      )}
      <Shown items={items} now={list.now} />
      {note?.(list)}
      <Ways path={list.query === '' ? path : `${path}?${list.query}`} found={list.found} cursor={cursor} />
      {after?.(list)}
    </>
  );
}

function None({ words, children }: { words: string | VNode; children: ComponentChildren }): VNode {
  if (typeof words !== 'string') return words;
  return (
    <Empty>
      <p>{words}</p>
      {children}
    </Empty>
  );
}

interface WaysProps {
  path: string;
  found: AnyPage | TwoWayPage<unknown>;
  cursor: PagePosition | null;
}

function Ways({ path, found, cursor }: WaysProps): VNode {
  if ('previousCursor' in found) return <Pager path={path} page={found} />;
  return <More path={path} page={{ limit: perPage, cursor }} next={found.nextCursor} />;
}
