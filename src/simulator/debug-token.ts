import { asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

const dayMs = 86_400_000;

/** What `debug_token` tells of a token [upstream protocol 2.1, 2.4]. */
export function debugToken(world: World, call: Call): Record<string, unknown> {
  authenticate(world, call);
  const token = world.tokens.find(asText(call.bag.input_token) ?? '');
  const fault = world.tokens.fault(token);
  if (!token)
    return {
      data: {
        app_id: world.app.id,
        is_valid: false,
        scopes: [],
        error: { code: 190, message: 'Invalid OAuth access token' },
      },
    };
  const { code, subcode } = fault?.refusal ?? {};
  return {
    data: {
      app_id: world.app.id,
      type: typeOf(token),
      application: 'Unified Inbox',
      data_access_expires_at: dataAccessEnd(world, token),
      expires_at: Math.floor(token.expiresAt / 1000),
      issued_at: Math.floor(token.issuedAt / 1000),
      is_valid: !fault,
      ...(fault ? { error: { code, message: fault.message, subcode } } : {}),
      ...(token.kind === 'page' ? { profile_id: token.subject } : {}),
      user_id: token.login,
      ...shownScopes(world, token),
    },
  };
}

function typeOf(token: Token): string {
  if (token.isSystem && token.kind === 'user') return 'SYSTEM_USER';
  return { app: 'APP', user: 'USER', page: 'PAGE', business: 'SYSTEM_USER' }[token.kind];
}

/** Unix seconds; 0: without end. */
function dataAccessEnd({ settings }: World, token: Token): number {
  const { data_access_days: days } = settings;
  if (days === 0 || token.kind === 'business' || token.isSystem) return 0;
  return Math.floor((token.issuedAt + days * dayMs) / 1000);
}

type Granular = { readonly scope: string; readonly target_ids?: readonly string[] };

function shownScopes(
  world: World,
  token: Token,
): { readonly scopes: readonly string[]; readonly granular_scopes: readonly Granular[] } {
  const { scopes } = token;
  const granular = scopes.map((scope) => granularOf(world, token, scope));
  if (token.kind !== 'business') return { scopes, granular_scopes: granular };
  return oddScopes(world, token, scopes, granular);
}

function granularOf(world: World, token: Token, scope: string): Granular {
  const isAll = world.settings.open_targets && token.isOpen && token.targets[scope] === undefined;
  return isAll ? { scope } : { scope, target_ids: targetsOf(world, token, scope) };
}

function targetsOf(world: World, token: Token, scope: string): readonly string[] {
  const given = token.targets[scope];
  if (given) return given;
  const pages = [...token.assets].map((id) => world.nodes.get(id)).filter((node) => node?.type === 'page');
  if (scope.startsWith('whatsapp')) return [...token.assets];
  if (scope.startsWith('instagram'))
    return pages.map((page) => page.photo?.id).filter((id) => id !== undefined);
  return scope.startsWith('pages') ? pages.map((page) => page.id) : [];
}

const management = 'whatsapp_business_management';
/** Accounts that the business shared once and that are gone: they answer 100/33. */
const olderAccounts = ['311299999999991', '311299999999992'];

/** The forms in which the scopes of sign-up tokens were seen; the calls work the same with all of them. */
function oddScopes(
  world: World,
  token: Token,
  scopes: readonly string[],
  granular: readonly Granular[],
): { readonly scopes: readonly string[]; readonly granular_scopes: readonly Granular[] } {
  const renamed = (scope: string): string =>
    scope === management ? 'whatsapp_business_manage_events' : scope;
  const businesses = [...new Set([...token.assets].map((id) => ownerOf(world, id)))];
  switch (world.settings.signup_scopes) {
    case 'events_only':
      return {
        scopes: scopes.map(renamed),
        granular_scopes: granular.map((one) => ({ ...one, scope: renamed(one.scope) })),
      };
    case 'granular_only':
      return {
        scopes: ['business_management', 'public_profile'],
        granular_scopes: [{ scope: 'business_management', target_ids: businesses }, ...granular],
      };
    case 'twice':
      return {
        scopes,
        granular_scopes: [...granular, { scope: management, target_ids: olderAccounts.slice(0, 1) }],
      };
    case 'no_targets':
      return { scopes, granular_scopes: scopes.map((scope) => ({ scope })) };
    case 'older':
      return {
        scopes,
        granular_scopes: granular.map(({ scope, target_ids: ids = [] }) => {
          const [first = '', ...others] = olderAccounts;
          return { scope, target_ids: [first, ...ids, ...others] };
        }),
      };
    default:
      return { scopes, granular_scopes: granular };
  }
}

function ownerOf(world: World, id: string): string {
  const node = world.nodes.get(id);
  return node?.type === 'waba' ? node.businessId : '';
}
