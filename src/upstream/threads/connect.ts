import { PermissionsDeclined } from '../connecting-calls.ts';
import type { PickedAssets, UpstreamAsset } from '../connecting-calls.ts';
import { Fault } from '../../kernel/faults.ts';
import type { ConnectForm, DialogSettings, PickRequest, PickWorld } from '../kind.ts';
import { asId, asList, asName, asText } from '../read.ts';
import type { Json } from '../read.ts';
import { loginConfiguration } from '../login-configuration.ts';
import { expiryOf, inspectToken, longLivedToken, tokenForCode } from '../tokens.ts';
import { pageFields } from '../webhook-fields.ts';
import { findPages } from './pages.ts';
import { grantedPermissions, missingFor, requirePermissions } from './permissions.ts';

/**
 * Every field must be there: a channel that was connected before a field was added hears it after the next check. If upstream omits the
 * list, all fields are assumed. [upstream §2.2]
 */
function isHeardBy(app: Json, appId: string): boolean {
  const subscribed = app['subscribed_fields'];
  if (asId(app['id']) !== appId) return false;
  return subscribed === undefined || pageFields.every((field) => asList(subscribed).includes(field));
}

/** What differs between the two kinds. */
interface PageKind {
  /** Permissions without which a channel can't work. [upstream §2.1] */
  required: readonly string[];
  /** Permissions that the dialog asks for. */
  asked: (settings: DialogSettings) => readonly string[];
  /** A page's asset of the kind; null: it has none. */
  readAsset: (page: Json, token: string) => UpstreamAsset | null;
}

/**
 * A login configuration, or a list of permissions. `rerequest` asks again for a permission that was declined before; otherwise a second
 * try could never succeed. A configuration grants all or nothing.
 */
function dialogParams(asked: readonly string[], configId: string | null): [name: string, value: string][] {
  if (configId !== null) return loginConfiguration(configId);
  return [
    ['scope', asked.join(',')],
    ['auth_type', 'rerequest'],
  ];
}

/** Both kinds are connected through the pages that a person picks. */
export function connectPages(kind: PageKind): ConnectForm {
  return {
    isConfigured: () => true,
    dialogParams: (settings) => dialogParams(kind.asked(settings), settings.pagesConfigId),
    assets: (world, request) => pickedAssets(kind, world, request),
    permissions: kind.required,
    subscriptionQuery: { subscribed_fields: pageFields.join(',') },
    isHeardBy,
    profile: async () => null,
    conditions: async () => ({ problems: [], lookedFor: [] }),
    register: async () => ({ isReady: true }),
  };
}

/** Throws PermissionsDeclined if a required permission is missing. [upstream §2.1] */
async function pickedAssets(kind: PageKind, world: PickWorld, request: PickRequest): Promise<PickedAssets> {
  const { graph, settings } = world;
  const token = await longLivedToken(graph, settings, await tokenForCode(graph, settings, request));
  const known = await inspected(world, token);
  const granted = await grantedPermissions(graph, token, known);
  requirePermissions(granted, kind.required);
  const { pages, hidden } = await findPages(world, token, known);
  if (!granted.has(ofPortfolios)) missPortfolios(kind, world, pages.length + hidden.length > 0);
  const picked = pages.map((page) => sortOut(kind, page, known));
  return {
    assets: picked.flatMap((one) => ('why' in one ? [] : [one])),
    unusable: [
      ...picked.flatMap((one) => ('why' in one ? [one] : [])),
      ...hidden.map((identity) => ({ identity, name: null, why: 'unreadable' as const })),
    ],
  };
}

/** Empty if upstream does not say: the lists tell what can be used. */
async function inspected({ graph, settings, log }: PickWorld, token: string): Promise<Json> {
  try {
    return await inspectToken(graph, settings, token);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    log.warn({ why: thrown.message }, 'upstream.token-not-inspected');
    return {};
  }
}

const ofPortfolios = 'business_management';

/**
 * Without this permission no list has the pages of a business portfolio: where most companies keep theirs. It is no use to ask a person
 * for what the dialog does not offer. If other pages came, the person can go on with these. Throws PermissionsDeclined.
 */
function missPortfolios(kind: PageKind, { settings, log }: PickWorld, hasPages: boolean): void {
  const isOffered = settings.pagesConfigId === null && kind.asked(settings).includes(ofPortfolios);
  if (hasPages) {
    if (isOffered) log.warn({ missing: ofPortfolios }, 'upstream.portfolios-not-shown');
    return;
  }
  if (isOffered) throw new PermissionsDeclined([ofPortfolios]);
  log.warn({ missing: ofPortfolios }, 'upstream.no-page-found');
}

function sortOut(
  { required, readAsset }: PageKind,
  page: Json,
  known: Json,
): UpstreamAsset | PickedAssets['unusable'][number] {
  const about = { identity: asId(page['id']) ?? '', name: asName(page['name']) };
  const token = asText(page['access_token']);
  if (token === null) return { ...about, why: 'no_token' };
  if (!mayMessage(page)) return { ...about, why: 'no_messaging_task' };
  const permission = missingFor(about.identity, known, required);
  if (permission !== null) return { ...about, why: 'permission_missing', permission };
  const asset = readAsset(page, token);
  if (asset === null) return { ...about, why: 'no_photo_account' };
  // Page tokens of a person do not end; those of a system user may end with its token.
  return { ...asset, tokenExpiresAt: known['type'] === 'SYSTEM_USER' ? expiryOf(known) : null };
}

const messagingTask = /(?:MESSAGING|MANAGE|FULL_CONTROL)$/;

/**
 * The task is MESSAGING, on newer pages PROFILE_PLUS_MESSAGING. Whether full control may stand alone for it is not known: the subscription
 * shows it. Without a list of tasks it is assumed. [upstream §2.1 step 7, §2.5]
 */
function mayMessage(page: Json): boolean {
  const tasks = asList(page['tasks']).map(asText);
  return tasks.length === 0 || tasks.some((task) => task !== null && messagingTask.test(task));
}
