import type { Router } from 'express';
import { asNumber, asText } from './bag.ts';
import { mintPageToken } from './businesses.ts';
import { authenticate, type Call } from './call.ts';
import { pick, Reference } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { missingObject } from './graph-error.ts';
import type { Page, Photo } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { isListed, isPhotoShown, isTokenShown, tasksOf } from './page-access.ts';
import { writePaging } from './paging.ts';
import { refusal } from './platform-refusals.ts';
import { shortTokenLifeS } from './token-exchange.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

/** Edges of the logged-in person, as `me` or by the person's id [upstream protocol 2.1, 9.1]. */
export function addUserRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/accounts',
    graph((call, req) => accounts(world, call, param(req, 'id'))),
  );
  router.get(
    '/:id/permissions',
    graph((call, req) => permissions(world, call, param(req, 'id'))),
  );
  router.delete(
    '/:id/permissions',
    graph((call, req) => deauthorise(world, call, param(req, 'id'))),
  );
}

/** The call's token, if the id is that of its person. A page's token is for the page, not for the person who created it. */
export function ownToken(world: World, call: Call, id: string): Token {
  const token = authenticate(world, call);
  if (id === 'me' || (token.kind === 'user' && token.login === id)) return token;
  throw missingObject(id, call.method);
}

// Two listings with one token return the same page tokens.
const pageTokens = new WeakMap<Token, Map<string, string>>();

function accounts(world: World, call: Call, id: string): Record<string, unknown> {
  const token = ownToken(world, call, id);
  const ids = token.kind === 'user' && token.scopes.includes('pages_show_list') ? [...token.assets] : [];
  const pages = ids
    .map((asset) => world.nodes.get(asset))
    .filter((node) => node?.type === 'page')
    .filter((page) => isListed(world, page, token));
  const fields = asText(call.bag.fields);
  checkAmount(world, fields, Math.min(asNumber(call.bag.limit) ?? usualLimit, pages.length));
  const shown = pages.map((page) => pick(accountOf(world, token, page), fields, nodeTypes.account));
  return writePaging(world, call, shown);
}

const usualLimit = 25;

function checkAmount({ settings }: World, fields: string | undefined, pages: number): void {
  const { accounts_limit: most } = settings;
  if (most > 0 && pages > most && fields?.includes('{') === true) throw refusal('too_much_data');
}

function accountOf(world: World, token: Token, page: Page): Record<string, unknown> {
  return {
    id: page.id,
    name: page.name,
    ...(isTokenShown(world, page, token) ? { access_token: pageTokenFor(world, token, page) } : {}),
    category: 'Business',
    category_list: [{ id: '2200', name: 'Business' }],
    tasks: tasksOf(page, token.login),
    ...(page.photo && token.scopes.includes('instagram_basic')
      ? { instagram_business_account: photoReference(page.photo) }
      : {}),
  };
}

/** A page as its node and the lists of portfolios show it. */
export function shownPage(world: World, token: Token, page: Page): Record<string, unknown> {
  const { photo } = page;
  return {
    id: page.id,
    name: page.name,
    category: 'Business',
    ...(isTokenShown(world, page, token) ? { access_token: pageTokenFor(world, token, page) } : {}),
    tasks: tasksOf(page, token.login),
    ...(photo && isPhotoShown(world, token) ? { instagram_business_account: photoReference(photo) } : {}),
  };
}

/** The page token that a user token gets; a page token gets itself. */
function pageTokenFor(world: World, token: Token, page: Page): string {
  if (token.kind === 'page') return token.text;
  const made = pageTokens.get(token) ?? new Map<string, string>();
  pageTokens.set(token, made);
  const isLong = token.expiresAt === 0 || token.expiresAt - token.issuedAt > shortTokenLifeS * 1000;
  // [upstream protocol 1.2] Page tokens from a long-lived user token do not expire.
  const pageToken =
    made.get(page.id) ??
    mintPageToken(world, page, { ...token, text: undefined, expiresAt: isLong ? 0 : token.expiresAt });
  made.set(page.id, pageToken);
  return pageToken;
}

/** The linked photoapp account as a field of its page. */
function photoReference(photo: Photo): Reference {
  const { id, username, name } = photo;
  return new Reference({ id, username, name, profile_picture_url: 'https://scontent.example/account.jpg' });
}

function permissions(world: World, call: Call, id: string): Record<string, unknown> {
  const { scopes, declined } = ownToken(world, call, id);
  const granted = scopes.map((permission) => ({ permission, status: 'granted' }));
  return { data: [...granted, ...declined.map((permission) => ({ permission, status: 'declined' }))] };
}

function deauthorise(world: World, call: Call, id: string): Record<string, unknown> {
  const { login } = ownToken(world, call, id);
  world.tokens.kill('removed', (token) => token.login === login);
  return { success: true };
}
