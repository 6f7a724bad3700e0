import { GraphError } from './graph-error.ts';
import { newSecret } from './ids.ts';
import type { Business, DialogCode, DialogRequest, Targets } from './model.ts';
import { clientPagesOf } from './page-access.ts';
import { takeCode } from './token-exchange.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

/** The person's decision. `assets` are ids of pages and business accounts. */
type Decision = {
  readonly allowed: boolean;
  readonly business: Business;
  readonly assets: readonly string[];
  readonly declined: readonly string[];
  readonly targets: Targets;
  /** Every page of the person, also later ones. */
  readonly isOpen: boolean;
  /** The number, if a single number was chosen. */
  readonly numberId: string | undefined;
};

/** The business whose person is logged in: the one with this login or id, else the owner of the first asset, else the first one. */
export function findBusiness(world: World, login: string | undefined, assets: readonly string[]): Business {
  const all = [...world.businesses.values()];
  const named = all.find((business) => login !== undefined && [business.login, business.id].includes(login));
  const owner = all.find((business) => assets.some((asset) => ownedIds(business).includes(asset)));
  const [first] = all;
  const found = named ?? owner ?? first;
  if (!found)
    throw new GraphError({ code: 1, status: 500, message: 'nobody can log in: the world is empty' });
  return found;
}

function ownedIds(business: Business): string[] {
  const { waba, pages } = business;
  return [
    waba.id,
    ...waba.phones.map((phone) => phone.id),
    ...pages.flatMap((page) => [page.id, page.photo?.id ?? '']),
  ];
}

/** The business with the pages that its person may pick: clients' too. */
export function withClientPages(world: World, business: Business): Business {
  return { ...business, pages: [...business.pages, ...clientPagesOf(world, business.id)] };
}

/**
 * Converts the ids that a person may choose into the ids that a token is bound to: pages for scopes, business accounts for signup. A person
 * may share several business accounts, even one of another owner; their order is kept.
 */
export function grantable(
  world: World,
  business: Business,
  asked: DialogRequest,
  assets: readonly string[] | null,
): string[] {
  const { pages } = withClientPages(world, business);
  if (asked.isSignup) return assets === null ? [business.waba.id] : accountsOf(world, assets);
  const isPicked = (id: string | undefined): boolean =>
    id !== undefined && (assets === null || assets.includes(id));
  return pages.filter((page) => isPicked(page.id) || isPicked(page.photo?.id)).map((page) => page.id);
}

function accountsOf(world: World, assets: readonly string[]): string[] {
  const ids = assets.map((id) => {
    const node = world.nodes.get(id);
    return node?.type === 'waba' ? node.id : node?.type === 'phone' ? node.waba.id : undefined;
  });
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** The number if a single number was chosen; undefined for a whole account or several ids. */
export function numberIn(world: World, asked: DialogRequest, picked: readonly string[]): string | undefined {
  const [only, ...more] = picked;
  return asked.isSignup && only !== undefined && more.length === 0 && world.nodes.get(only)?.type === 'phone'
    ? only
    : undefined;
}

/** The redirect after the decision: with a code, or with the refusal [upstream protocol 2.1]. */
export function redirectFor(world: World, asked: DialogRequest, decision: Decision): string {
  const target = new URL(asked.redirectUri);
  if (decision.allowed) replaceGrant(world, asked, decision);
  if (decision.allowed && asked.isTokenAnswer) return tokenRedirect(world, asked, decision);
  const answer = decision.allowed
    ? { code: issueCode(world, asked, decision) }
    : { error_reason: 'user_denied', error: 'access_denied', error_description: 'Permissions error' };
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
  // A sign-up page gets this as session data [upstream protocol 2.4]; here there is only the redirect.
  if (world.settings.number_hint && decision.allowed && decision.numberId !== undefined)
    target.searchParams.set('phone_number_id', decision.numberId);
  if (asked.state !== undefined) target.searchParams.set('state', asked.state);
  return `${target.toString()}#_=_`;
}

/** [upstream protocol 2.4] Without the flag that asks for a code, a configuration's token is in the fragment. */
function tokenRedirect(world: World, asked: DialogRequest, decision: Decision): string {
  const { access_token: token, expires_in: life = 0 } = takeCode(world, codeOf(world, asked, decision));
  const fragment = new URLSearchParams({ access_token: token, expires_in: String(life) });
  if (asked.state !== undefined) fragment.set('state', asked.state);
  return `${asked.redirectUri}#${fragment.toString()}`;
}

function codeOf(world: World, asked: DialogRequest, decision: Decision): DialogCode {
  return { ...asked, ...decision, at: world.now(), used: false };
}

function issueCode(world: World, asked: DialogRequest, decision: Decision): string {
  const code = newSecret('AQB') + newSecret('');
  world.codes.set(code, codeOf(world, asked, decision));
  return code;
}

/** An app and a person have one grant: what a later dialog leaves out is lost [upstream protocol 1.2]. */
function replaceGrant({ settings, tokens }: World, { isSignup }: DialogRequest, decision: Decision): void {
  if (!settings.one_grant || isSignup) return;
  const { login } = decision.business;
  const isOf = (token: Token): boolean => token.login === login && !token.isFixed;
  const isLost = (token: Token): boolean => token.kind === 'page' && !decision.assets.includes(token.subject);
  tokens.kill('ungranted', (token) => isOf(token) && isLost(token));
  for (const token of tokens.all())
    if (isOf(token) && token.kind === 'user') token.assets = new Set(decision.assets);
}
