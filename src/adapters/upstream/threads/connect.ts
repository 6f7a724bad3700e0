import type { UpstreamAsset } from '../../../use-cases/ports/connecting.ts';
import { PermissionsDeclined } from '../../../use-cases/ports/connecting.ts';
import type { ConnectForm, PickRequest } from '../kind.ts';
import { asId, asList, asText } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import type { Graph, GraphSettings } from '../graph.ts';
import { longLivedToken, tokenForCode } from '../tokens.ts';

/**
 * Every field of both kinds: the call replaces the page's list, and one page may serve a pagechat and a photoapp channel.
 * [upstream §2.2]
 */
const pageFields = [
  'messages',
  'message_echoes',
  'message_deliveries',
  'message_reads',
  'messaging_seen',
  'message_edits',
  'message_reactions',
  'messaging_postbacks',
  'messaging_referrals',
  'messaging_optins',
  'messaging_handovers',
  'standby',
].join(',');

/** Without a list of fields upstream did not say which: then it is all that was asked for. [upstream §2.2] */
function isHeardBy(app: Json, appId: string): boolean {
  const fields = app['subscribed_fields'];
  return asId(app['id']) === appId && (fields === undefined || asList(fields).includes('messages'));
}

/** What must be granted, and what is usually needed beside it. [upstream §2.1] */
export interface Scopes {
  required: readonly string[];
  usual: readonly string[];
}

/** `rerequest`: who declined a permission once is asked again, else a second try could never succeed. */
function scopeParams({ required, usual }: Scopes): [name: string, value: string][] {
  return [
    ['scope', [...required, ...usual].join(',')],
    ['auth_type', 'rerequest'],
  ];
}

/** Both kinds are connected by the pages that a person picks; `readAssets` says what a page has for the kind. */
export function connectPages(scopes: Scopes, readAssets: (page: Json) => UpstreamAsset[]): ConnectForm {
  return {
    dialogParams: () => scopeParams(scopes),
    async assets(graph, settings, request) {
      const pages = await pickedPages(graph, settings, request, scopes.required);
      return pages.flatMap(readAssets);
    },
    subscriptionQuery: { subscribed_fields: pageFields },
    isHeardBy,
    profile: async () => null,
    afterSubscribe: async () => undefined,
  };
}

const accountFields =
  'id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}';

/** The pages a person picked, with all permissions granted. [upstream §2.1] */
async function pickedPages(
  graph: Graph,
  settings: GraphSettings,
  request: PickRequest,
  required: readonly string[],
): Promise<Json[]> {
  const shortToken = await tokenForCode(graph, settings, request);
  const token = await longLivedToken(graph, settings, shortToken);
  await requirePermissions(graph, token, required);
  const pages = await graph.all({ path: '/me/accounts', query: { fields: accountFields }, token });
  return pages.filter(mayMessage);
}

/** In the dialog a person may decline single permissions. [upstream §2.1] */
async function requirePermissions(graph: Graph, token: string, required: readonly string[]): Promise<void> {
  const permissions = await graph.all({ path: '/me/permissions', token });
  const granted = new Set(
    permissions.filter((one) => one['status'] === 'granted').map((one) => asText(one['permission'])),
  );
  const missing = required.filter((permission) => !granted.has(permission));
  if (missing.length > 0) throw new PermissionsDeclined(missing);
}

/** Newer pages spell the task PROFILE_PLUS_MESSAGING; no list at all means upstream did not say. [upstream §2.1 step 5] */
function mayMessage(page: Json): boolean {
  const tasks = asList(page['tasks']).map(asText);
  return tasks.length === 0 || tasks.some((task) => task?.endsWith('MESSAGING') === true);
}
