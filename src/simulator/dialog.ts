import { asNames, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import { newSecret } from './ids.ts';
import type { Business, DialogRequest, Targets } from './model.ts';
import type { World } from './world.ts';

/** The person's decision. `assets` are ids of pages and business accounts. */
type Decision = {
  readonly allowed: boolean;
  readonly business: Business;
  readonly assets: readonly string[];
  readonly declined: readonly string[];
  readonly targets: Targets;
  /** The number, if a single number was chosen. */
  readonly numberId: string | undefined;
};

const signupScopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];

/** Reads the dialog's parameters. Throws GraphError for what upstream shows as an error page: an unknown app, an unregistered redirect. */
export function readAsked(world: World, bag: Bag): DialogRequest {
  const clientId = asText(bag.client_id) ?? '';
  const redirectUri = asText(bag.redirect_uri) ?? '';
  if (clientId !== world.app.id)
    throw new GraphError({
      code: 101,
      message: 'Invalid App ID: The provided app ID does not look like a valid app ID.',
    });
  const { redirect_uris: registered } = world.settings;
  const isRegistered = registered === null || registered.includes(redirectUri);
  if (!URL.canParse(redirectUri) || !isRegistered) {
    throw new GraphError({
      code: 191,
      message:
        'URL Blocked: This redirect failed because the redirect URI is not whitelisted in the app’s Client OAuth Settings.',
    });
  }
  if (!/^https?:$/.test(new URL(redirectUri).protocol))
    throw new GraphError({ code: 191, message: 'Invalid redirect_uri' });
  const configId = asText(bag.config_id);
  // Clients separate scopes by commas, by spaces, or by both.
  const scopes = asNames(asText(bag.scope)?.replaceAll(/\s+/g, ','));
  const isSignup = configId !== undefined && scopes.length === 0;
  return {
    clientId,
    redirectUri,
    state: asText(bag.state),
    scopes: isSignup ? signupScopes : scopes,
    isSignup,
    configId,
  };
}

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
  const { pages } = business;
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
  const answer = decision.allowed
    ? { code: issueCode(world, asked, decision) }
    : { error_reason: 'user_denied', error: 'access_denied', error_description: 'Permissions error' };
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
  // A sign-up page gets this as session data [upstream protocol 2.4]; here there is only the redirect.
  if (decision.allowed && decision.numberId !== undefined)
    target.searchParams.set('phone_number_id', decision.numberId);
  if (asked.state !== undefined) target.searchParams.set('state', asked.state);
  return `${target.toString()}#_=_`;
}

function issueCode(world: World, asked: DialogRequest, decision: Decision): string {
  const code = newSecret('AQB') + newSecret('');
  world.codes.set(code, { ...asked, ...decision, at: world.now(), used: false });
  return code;
}
