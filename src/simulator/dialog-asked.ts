import { asBag, asNames, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import type { LoginConfiguration } from './login-configurations.ts';
import type { Business, DialogRequest } from './model.ts';
import type { World } from './world.ts';

const signupScopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];

/**
 * Reads the dialog's parameters. Throws GraphError for what upstream shows as an error page instead of a redirect: an unknown app,
 * redirect or configuration, a sign-up that has ended.
 */
export function readAsked(world: World, bag: Bag): DialogRequest {
  const clientId = asText(bag.client_id) ?? '';
  const redirectUri = asText(bag.redirect_uri) ?? '';
  if (clientId !== world.app.id)
    throw errorPage('Invalid App ID: The provided app ID does not look like a valid app ID.', undefined, 101);
  checkRedirect(world, redirectUri);
  const configId = asText(bag.config_id);
  const configuration = configurationOf(world, configId);
  // Clients separate scopes by commas, by spaces, or by both.
  const scopes = asNames(asText(bag.scope)?.replaceAll(/\s+/g, ','));
  const isSignup = configuration
    ? configuration.purpose === 'signup'
    : configId !== undefined && scopes.length === 0;
  if (isSignup) checkSignup(world, bag);
  const isCode = bag.override_default_response_type === 'true' || !world.settings.response_types;
  return {
    clientId,
    redirectUri,
    state: asText(bag.state),
    // [Login for Business] The configuration decides; `scope` beside it is ignored.
    scopes: configuration?.permissions ?? (isSignup ? signupScopes : scopes),
    isSignup,
    configId,
    configuration,
    isTokenAnswer: configId !== undefined && !isCode,
  };
}

/** The subcode is the number on a redirect, where the dialog redirects instead of showing a page. */
function errorPage(message: string, subcode?: number, code = 191): GraphError {
  return new GraphError({ code, subcode, status: 400, message });
}

const [urlBlocked, featureUnavailable, appNotActive] = [1349168, 1349220, 1349126];

/** [Login security] The address is registered and https; only this machine may be http, and unregistered while the app is unpublished. */
function checkRedirect({ settings }: World, redirectUri: string): void {
  if (!URL.canParse(redirectUri)) throw blocked();
  const { protocol, hostname } = new URL(redirectUri);
  if (!/^https?:$/.test(protocol)) throw errorPage('Invalid redirect_uri');
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  const isFree = settings.secure_redirects && isLocal && !settings.app_published;
  const isRegistered = settings.redirect_uris === null || settings.redirect_uris.includes(redirectUri);
  if (!isRegistered && !isFree) throw blocked();
  if (settings.secure_redirects && protocol === 'http:' && !isLocal)
    throw errorPage(
      'Facebook has detected that the app isn’t using a secure connection to transfer information.',
    );
}

function blocked(): GraphError {
  return errorPage(
    'URL Blocked: This redirect failed because the redirect URI is not whitelisted in the app’s Client OAuth Settings.',
    urlBlocked,
  );
}

/** The configuration asked for; undefined: none, or the world takes any id for one of the sign-up. */
function configurationOf({ settings }: World, configId: string | undefined): LoginConfiguration | undefined {
  const unavailable = 'Feature Unavailable: Facebook Login is currently unavailable for this app.';
  if (configId === undefined) {
    if (settings.login_for_business) throw errorPage(unavailable, featureUnavailable);
    return undefined;
  }
  if (settings.login_configurations === null) return undefined;
  const found = settings.login_configurations.find(({ id }) => id === configId);
  if (!found) throw errorPage(unavailable, featureUnavailable);
  return found;
}

/** [WhatsApp: Versions] The versions before v4 ended on 2026-10-15; the version is a member of `extras`. What is shown is a guess. */
function checkSignup({ settings }: World, { extras }: Bag): void {
  if (!settings.signup_version || asBag(extras)?.version === 'v4') return;
  throw errorPage('This version of Embedded Signup is no longer available.');
}

/**
 * The request as this person gets it: a permission that the app does not have is an error page for people with a role, and left out for
 * others. Throws GraphError for the pages.
 */
export function askedOf(world: World, asked: DialogRequest, { login }: Business): DialogRequest {
  const { app_permissions: has, app_published: isPublished } = world.settings;
  if (!isPublished && !world.roles.has(login))
    throw errorPage(
      'App not active: This app is not accessible right now and the app developer is aware of the issue.',
      appNotActive,
    );
  const unknown = has === null ? [] : asked.scopes.filter((scope) => !has.includes(scope));
  if (unknown.length === 0) return asked;
  if (!world.roles.has(login))
    return { ...asked, scopes: asked.scopes.filter((scope) => !unknown.includes(scope)) };
  throw errorPage(
    `Invalid Scopes: ${unknown.join(', ')}. This message is only shown to developers. Users of your app will ignore these permissions if present.`,
  );
}
