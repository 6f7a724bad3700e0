import { Fault } from '../../kernel/faults.ts';
import { asId, asText } from '../read.ts';
import type { Json } from '../read.ts';
import type { PickWorld } from '../kind.ts';
import { scopesOf } from '../tokens.ts';

/** What a page's own node has. `tasks` is a field of `/me/accounts` alone, and an unknown field fails a whole call. */
const pageFields = 'id,name,access_token,instagram_business_account{id,username,name,profile_picture_url}';
const accountFields = pageFields.replace('access_token,', 'access_token,tasks,');

/** Pages read one by one, in groups; further ones are left out. */
const maxSingle = 50;
const readAtOnce = 5;
const maxBusinesses = 10;
/** Pages of one list of a business: it may be an agency with thousands that were not granted. */
const maxOfBusiness = 200;

interface FoundPages {
  /** In upstream's order. A page without `access_token` may be seen, not used. */
  pages: Json[];
  /** Ids of granted pages that upstream does not show. */
  hidden: string[];
}

/**
 * The pages that a user token was granted. `/me/accounts` leaves out pages of a business portfolio, and may be empty although everything was
 * granted; then the token's own scopes name them. The portfolios are asked if that gave nothing, or if all pages were granted, for then the
 * scopes name none. Those also list pages that were not granted: without a token. Throws Fault `upstream_failed` if a list failed and no page
 * is found. [upstream §2.1]
 */
export async function findPages(world: PickWorld, token: string, known: Json): Promise<FoundPages> {
  const listed = await listOf(world, { path: '/me/accounts', fields: accountFields, token });
  const isListed = new Set(listed.items.map(({ id }) => asId(id)));
  const named = namedPages(known).filter((id) => !isListed.has(id));
  const single = await readSingly(world, token, named);
  const pages = [...listed.items, ...single.flatMap(({ page }) => (page === null ? [] : [page]))];
  const hidden = single.flatMap(({ id, page }) => (page === null ? [id] : []));
  if (pages.some(hasToken) && !mayHaveMore(known)) return { pages: merged(pages), hidden };
  const owned = await pagesOfBusinesses(world, token);
  if (pages.length + hidden.length + owned.length === 0 && listed.failure !== null) throw listed.failure;
  const isOwned = new Set(owned.map(({ id }) => asId(id)));
  return { pages: merged([...pages, ...owned]), hidden: hidden.filter((id) => !isOwned.has(id)) };
}

/** All pages were granted, those of portfolios too: nothing names them. */
function mayHaveMore(known: Json): boolean {
  const isGranted = (wanted: (name: string) => boolean): boolean =>
    scopesOf(known).some(({ name }) => wanted(name));
  const isOfPages = isGranted((name) => name.startsWith('pages_'));
  return isOfPages && isGranted((name) => name === 'business_management') && namedPages(known).length === 0;
}

/** Each page once, with a token if one of its lists has it. */
function merged(pages: readonly Json[]): Json[] {
  const found = new Map<string, Json>();
  for (const page of pages) {
    const id = asId(page['id']) ?? '';
    const before = found.get(id);
    if (before === undefined || (!hasToken(before) && hasToken(page))) found.set(id, page);
  }
  return [...found.values()];
}

function hasToken(page: Json): boolean {
  return asText(page['access_token']) !== null;
}

/** Targets of instagram scopes may be photo accounts, so only those of pages count. */
function namedPages(known: Json): string[] {
  const scopes = scopesOf(known).filter(({ name }) => name.startsWith('pages_'));
  return [...new Set(scopes.flatMap(({ targets }) => targets))].slice(0, maxSingle);
}

interface ListRequest {
  path: string;
  fields: string;
  token: string;
  maxItems?: number;
}

/** The next source may have what this one can't show. */
async function listOf(
  { graph, log }: PickWorld,
  { path, fields, token, maxItems }: ListRequest,
): Promise<{ items: Json[]; failure: Fault | null }> {
  try {
    const items = await graph.all({ path, query: { fields }, token }, maxItems);
    return { items, failure: null };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    log.warn({ path, why: thrown.message }, 'upstream.pages-not-listed');
    return { items: [], failure: thrown };
  }
}

async function readSingly(
  world: PickWorld,
  token: string,
  ids: readonly string[],
): Promise<{ id: string; page: Json | null }[]> {
  const found: { id: string; page: Json | null }[] = [];
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const group = ids.slice(from, from + readAtOnce);
    found.push(...(await Promise.all(group.map((id) => readPage(world, token, id)))));
  }
  return found;
}

/** Reading a page by its id needs `pages_read_engagement`. One page without an answer does not end the flow for the others. */
async function readPage(
  { graph, log }: PickWorld,
  token: string,
  id: string,
): Promise<{ id: string; page: Json | null }> {
  const path = `/${encodeURIComponent(id)}`;
  try {
    return { id, page: await graph.call({ path, query: { fields: pageFields }, token }) };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    log.warn({ page: id, why: thrown.message }, 'upstream.page-not-read');
    return { id, page: null };
  }
}

/** A page that several of them list is in it several times. */
async function pagesOfBusinesses(world: PickWorld, token: string): Promise<Json[]> {
  const businesses = await listOf(world, { path: '/me/businesses', fields: 'id', token, maxItems: 100 });
  const ids = businesses.items.flatMap(({ id }) => asId(id) ?? []).slice(0, maxBusinesses);
  const pages: Json[] = [];
  for (const id of ids) {
    const lists = ['owned_pages', 'client_pages'].map((edge) => {
      const path = `/${encodeURIComponent(id)}/${edge}`;
      return listOf(world, { path, fields: pageFields, token, maxItems: maxOfBusiness });
    });
    for (const { items } of await Promise.all(lists)) pages.push(...items.filter(hasToken));
  }
  return pages;
}
