import { PermissionsDeclined } from '../../../use-cases/ports/connecting.ts';
import { asList, asText } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import type { Graph, GraphSettings } from '../graph.ts';
import type { PickRequest } from '../kind.ts';
import { longLivedToken, tokenForCode } from '../tokens.ts';

const accountFields =
  'id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}';

/** The pages a person picked, with all permissions granted. [upstream §2.1] */
export async function pickedPages(
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
