/** [portal: a list page is one component] The list of the page kit: its filter, its rows, its ends. */
import { expect, test } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { Fragment, h } from 'preact';
import { places } from '../../src/features/pages.ts';
import type { PageContext } from '../../src/features/route.ts';
import type { TwoWayPageRequest } from '../../src/kernel/paging.ts';
import {
  choiceField,
  spanFields,
  readFilter,
  spanOf,
  textField,
  writeFilter,
} from '../../src/pages/list/filter.tsx';
import { answerListOver } from '../../src/pages/list/list-page.tsx';
import { toIso } from '../../src/kernel/clock.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newVisitor } from './visitor.ts';
import { perPage } from '../../src/pages/list/paging.tsx';
import { Rows } from '../../src/pages/list/rows.tsx';

const filter = {
  state: choiceField('State', 'any state', [
    ['open', 'still open'],
    ['done', 'done'],
  ]),
  name: textField('Name', { maxLength: 5, means: (typed) => typed.toLowerCase() }),
  ...spanFields,
};
const asked = (query: string) => readFilter(filter, new URLSearchParams(query));

test.each([
  ['', { state: null, name: null, from: null, to: null }, ''],
  [
    'state=open&name=Mia&from=2026-11-22T09%3A30',
    { state: 'open', name: 'mia', from: '2026-11-22T09:30', to: null },
    'state=open&name=mia&from=2026-11-22T09%3A30',
  ],
  ['state=lost&name=%20%20&to=2026-13-40T00:00', { state: null, name: null, from: null, to: null }, ''],
  ['name=LONGERTHAN&other=1', { state: null, name: 'longe', from: null, to: null }, 'name=longe'],
])('%j is read within bounds, and written without what filters nothing', (query, read, written) => {
  expect(asked(query)).toEqual(read);
  expect(writeFilter(asked(query))).toBe(written);
});

test.each([
  ['', '2026-11-22T09:30', '2026-11-22T09:30:00.000Z'],
  ['Europe/Berlin', '2026-11-22T09:30', '2026-11-22T08:30:00.000Z'],
  ['Europe/Berlin', '2026-07-22T09:30', '2026-07-22T07:30:00.000Z'],
  ['America/New_York', '2026-11-22', '2026-11-22T05:00:00.000Z'],
  // The hour that a clock skips is the one after it; of the hour that it has twice, one is meant.
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T01:30:00.000Z'],
  // In both, midnight is the moment that a clock skips: the day begins an hour later.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ['Asia/Kathmandu', '2100-01-01T00:00', '2099-12-31T18:15:00.000Z'],
])('a time in the zone %j of the person: %s is %s', (zone, typed, expected) => {
  const request = { headers: { cookie: `trunkline_zone=${zone}` } };
  const { since, until } = spanOf({ request }, { from: typed, to: null });
  expect([toIso(since ?? 0), until]).toEqual([expected, null]);
});

test.each(['2026-02-30T09:30', 'yesterday', '2026-11-22T25:00', '0026-11-22', ''])(
  'a text that is no time begins no span: %j',
  (typed) => {
    const request = { headers: {} };
    expect(spanOf({ request }, { from: null, to: typed })).toEqual({ since: null, until: null });
    expect(spanFields.from.read(typed)).toBeNull();
  },
);

interface Shown {
  status: number;
  html: string;
  asked: TwoWayPageRequest[];
}

const next = { createdAt: 7, id: 'seven' };

/** The page for this query, of a list with these items and one more page. */
async function shown(query: string, items: string[], more: object = {}): Promise<Shown> {
  const pages: TwoWayPageRequest[] = [];
  let answer: Shown = { status: 0, html: '', asked: pages };
  const context: Pick<PageContext, 'query' | 'clock'> = {
    query: new URLSearchParams(query),
    clock: { now: () => 0, wall: () => 0, monotonic: () => 0, after: () => () => undefined },
  };
  await answerListOver(
    (_context, { status = 0, children }) => {
      answer = { ...answer, status, html: renderToString(h(Fragment, null, children)) };
    },
    context,
    {
      path: '/list',
      title: 'List',
      filter,
      read: async (_context, _asked, page) => {
        pages.push(page);
        return { items, nextCursor: next, ...more };
      },
      columns: [
        ['Word', (item) => item],
        ['Length', (item, { asked: { name } }) => `${item.length} of ${name}`],
      ],
      empty: () => 'Nothing yet.',
      noMatch: () => 'Nothing matches.',
      wrong: (list) => (list.asked.name === 'wrong' ? 'The name is wrong.' : null),
    },
  );
  return answer;
}

test('rows have a cell for each column; the next page keeps the filter, and the cursor in the URL is read', async () => {
  const { status, html, asked: pages } = await shown('name=mia&state=lost', ['one', 'three']);
  expect([status, html.match(/<tr role="row"><td/g)?.length]).toEqual([200, 2]);
  expect(html).toContain('<td role="cell" data-head="Length">5 of mia</td>');
  const [, link = ''] = /href="([^"]+)">Next page/.exec(html) ?? [];
  expect(link).toMatch(/^\/list\?name=mia&(amp;)?cursor=/);
  expect(pages).toEqual([{ limit: perPage, cursor: null, isBack: false }]);
  const second = await shown(link.replaceAll('&amp;', '&').split('?')[1] ?? '', ['one']);
  expect(second.asked).toEqual([{ limit: perPage, cursor: next, isBack: false }]);
  expect(second.html).toContain('<a class="button quiet" href="/list?name=mia">First page</a>');
  expect((await shown('cursor=cut-off', ['one'])).asked).toEqual(pages);
});

test('the buttons of a row, in a column without a head, are at its right end', () => {
  const html = renderToString(h(Rows, { heads: ['Address', 'Role', ''], rows: [['Mia', 'owner', 'Leave']] }));
  const classes = [...html.matchAll(/<td[^>]*class="([^"]*)"/g)].map(([, names]) => names);
  expect(classes).toEqual([
    expect.stringContaining('read-by'),
    expect.any(String),
    expect.stringMatching(/^end/),
  ]);
});

test('a list that can be read backwards has links to newer and older items', async () => {
  const { html } = await shown('', ['one'], { previousCursor: next });
  const words = [...html.matchAll(/>(Newest|Newer|Older)</g)].map(([, word]) => word);
  expect(words).toEqual(['Newest', 'Newer', 'Older']);
});

test('[faults: 432] an empty list says why, with a filter and without, and with one offers all; a wrong filter is answered with 422', async () => {
  const all = '<a class="button quiet" href="/list">Show all</a>';
  const { html: unfiltered } = await shown('', []);
  expect([unfiltered.includes('Nothing yet.'), unfiltered.includes(all)]).toEqual([true, false]);
  expect((await shown('from=2026-11-22', [])).html).toContain(`Nothing matches.</p>${all}`);
  expect((await shown('state=lost', [])).html).toContain('Nothing yet.');
  const wrong = await shown('name=wrong', []);
  expect([wrong.status, wrong.html.includes('role="alert">The name is wrong.')]).toEqual([422, true]);
});

const world = sharedWorld();

test('the navigation has the places of the features, each once', async () => {
  const visitor = await newVisitor(world);
  const { text } = await visitor.ask('/portal');
  const [nav = ''] = /<nav aria-label="Portal">.*?<\/nav>/s.exec(text) ?? [];
  const links = [...nav.matchAll(/<a href="([^"]+)"[^>]*><svg.*?<span>([^<]+)<\/span>/gs)];
  expect(links.map(([, path, name]) => [path, name])).toEqual(places.map(({ path, name }) => [path, name]));
  expect(new Set(places.map(({ path }) => path)).size).toBe(places.length);
});
