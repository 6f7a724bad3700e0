import type { UpstreamAsset } from '../../../use-cases/ports/connecting.ts';
import { PermissionsDeclined } from '../../../use-cases/ports/connecting.ts';
import type { ConnectForm, DialogSettings, PickRequest } from '../kind.ts';
import { asId, asList, asText } from '../read.ts';
import type { Json } from '../read.ts';
import type { Graph, GraphSettings } from '../graph.ts';
import { loginConfiguration } from '../login-configuration.ts';
import { longLivedToken, tokenForCode } from '../tokens.ts';
import { pageFields } from '../webhook-fields.ts';

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
export interface PageKind {
  /** Permissions without which a channel can't work. [upstream §2.1] */
  required: readonly string[];
  /** Permissions that the dialog asks for. */
  asked: (settings: DialogSettings) => readonly string[];
  /** A page's assets of the kind. */
  readAssets: (page: Json) => UpstreamAsset[];
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
export function connectPages({ required, asked, readAssets }: PageKind): ConnectForm {
  return {
    isConfigured: () => true,
    dialogParams: (settings) => dialogParams(asked(settings), settings.pagesConfigId),
    async assets(graph, settings, request) {
      const pages = await pickedPages(graph, settings, request, required);
      return pages.flatMap(readAssets);
    },
    subscriptionQuery: { subscribed_fields: pageFields.join(',') },
    isHeardBy,
    profile: async () => null,
    afterSubscribe: async () => undefined,
  };
}

const accountFields =
  'id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}';

/** The pages that a person picked. Throws PermissionsDeclined if a required permission is missing. [upstream §2.1] */
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

/** A person may decline single permissions in the dialog. [upstream §2.1] */
async function requirePermissions(graph: Graph, token: string, required: readonly string[]): Promise<void> {
  const permissions = await graph.all({ path: '/me/permissions', token });
  const granted = new Set(
    permissions.filter((one) => one['status'] === 'granted').map((one) => asText(one['permission'])),
  );
  const missing = required.filter((permission) => !granted.has(permission));
  if (missing.length > 0) throw new PermissionsDeclined(missing);
}

/** The task is MESSAGING, on newer pages PROFILE_PLUS_MESSAGING. Without a list of tasks it is assumed. [upstream §2.1 step 5] */
function mayMessage(page: Json): boolean {
  const tasks = asList(page['tasks']).map(asText);
  return tasks.length === 0 || tasks.some((task) => task?.endsWith('MESSAGING') === true);
}
