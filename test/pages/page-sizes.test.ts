/**
 * [portal: must hold; operator-interface §3] What each page of the route table costs while every list of the account is full: its HTML, and
 * all that a browser without a cache asks for.
 */
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pageRoutes } from '../../src/features/pages.ts';
import type { House } from '../http/house.ts';
import { asOperator, asOwner } from '../http/support.ts';
import type { Running } from '../http/support.ts';
import { fillLists, idsOfPages } from './full-lists.ts';

const kib = 1_024;
const mostBytes = 60 * kib;
const mostRequests = 10;
/** Documents, read from top to bottom: they are as long as their text. What is sent of them is bounded as of every page. */
const documents = ['/docs/guide', '/docs/contract', '/docs/decisions', '/docs/error-codes'];
/** The viewer of the contract is a program of its own. */
const viewers = ['/docs', '/docs/operators'];

let house: House;
let service: Running;
beforeAll(async () => {
  house = await fillLists();
  service = await house.run();
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

const addresses = pageRoutes
  .filter(({ method }) => method === 'get')
  .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => idsOfPages[name] ?? whole));

interface Shown {
  path: string;
  html: string;
}

/** Every page, as the owner or the operator sees it, or somebody who is not signed in. */
async function everyPage(): Promise<Shown[]> {
  const pages: Shown[] = [];
  for (const path of addresses) {
    const own = path.startsWith('/operators') ? asOperator : asOwner;
    for (const headers of path.startsWith('/portal') ? [own, {}] : [own]) {
      const { text, headers: of } = await service.ask(path, { headers });
      if (of.get('content-type')?.startsWith('text/html') === true) pages.push({ path, html: text });
    }
  }
  return pages;
}

const loadedBy = (html: string): string[] =>
  [...html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);

const sent = new Map<string, Promise<number>>();
/** Bytes of a file as they are sent: the tests run without the build's compressed files. */
function bytesOf(url: string): Promise<number> {
  const known = sent.get(url) ?? service.ask(url).then(({ text }) => brotliCompressSync(text).length);
  sent.set(url, known);
  return known;
}

test('no page is larger than 60 KB, or costs more than ten requests and 60 KB when nothing is cached', async () => {
  const pages = await everyPage();
  expect(pages.length).toBeGreaterThan(70);
  const tooLarge = pages.filter(({ path, html }) => html.length > mostBytes && !documents.includes(path));
  expect(tooLarge.map(({ path, html }) => [path, html.length])).toEqual([]);
  for (const { path, html } of pages) {
    const urls = loadedBy(html);
    expect([path, urls.length + 1 <= mostRequests]).toEqual([path, true]);
    const files = await Promise.all(viewers.includes(path) ? [] : urls.map(bytesOf));
    const all = files.reduce((sum, bytes) => sum + bytes, brotliCompressSync(html).length);
    expect([path, all <= mostBytes]).toEqual([path, true]);
  }
});

test('the lists are full', async () => {
  const lists = [
    'messages',
    'deliveries',
    'requests',
    'templates',
    'keys',
    'channels',
    'people',
    'audit',
    'billing',
    'mails',
  ];
  const rows = await Promise.all(
    lists.map(async (name) => {
      const path = `/portal/${name}`;
      const { text } = await service.ask(path, { headers: asOwner });
      return [path, (text.match(/<tr role="row"/g)?.length ?? text.match(/class="card/g)?.length ?? 0) >= 20];
    }),
  );
  expect(rows).toEqual(lists.map((name) => [`/portal/${name}`, true]));
});
