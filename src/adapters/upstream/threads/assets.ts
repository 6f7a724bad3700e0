import type { UpstreamAsset } from '../../../use-cases/ports/connecting.ts';
import { fault } from '../../../kernel/faults.ts';
import { idOf, listOf, recordOf, textOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { scopesOf } from '../dialog.ts';
import type { Graph, GraphSettings } from '../graph.ts';
import { longLivedToken, tokenForCode } from '../tokens.ts';

export interface PickRequest {
  code: string;
  redirectUri: string;
}

const accountFields =
  'id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}';

/** The pages a person picked. [upstream §2.1] */
export async function pageAssets(
  graph: Graph,
  settings: GraphSettings,
  request: PickRequest,
): Promise<UpstreamAsset[]> {
  const pages = await pickedPages(graph, settings, request, scopesOf.pagechat.required);
  return pages.flatMap(pageAssetOf);
}

/** The photo accounts linked to the pages a person picked. [upstream §2.1] */
export async function photoAssets(
  graph: Graph,
  settings: GraphSettings,
  request: PickRequest,
): Promise<UpstreamAsset[]> {
  const pages = await pickedPages(graph, settings, request, scopesOf.photoapp.required);
  return pages.flatMap(photoAssetOf);
}

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
    permissions.filter((one) => one['status'] === 'granted').map((one) => textOf(one['permission'])),
  );
  const missing = required.filter((permission) => !granted.has(permission));
  if (missing.length === 0) return;
  throw fault('upstream_failed', {
    why: `these permissions were not granted: ${missing.join(', ')}; connect again and allow them`,
  });
}

/** Newer pages spell the task PROFILE_PLUS_MESSAGING; no list at all means upstream did not say. [upstream §2.1 step 5] */
function mayMessage(page: Json): boolean {
  const tasks = listOf(page['tasks']).map(textOf);
  return tasks.length === 0 || tasks.some((task) => task?.endsWith('MESSAGING') === true);
}

const noNumber = { phoneNumberId: null, phoneNumber: null, businessAccountId: null, qualityRating: null };

/** A page without a token is one the person may only look at. */
function pageAssetOf(page: Json): UpstreamAsset[] {
  const pageId = idOf(page['id']);
  const token = textOf(page['access_token']);
  if (pageId === null || token === null) return [];
  const profile: UpstreamAsset['profile'] = {
    name: textOf(page['name']),
    ...noNumber,
    photoappAccountId: null,
    photoappUsername: null,
    pageId,
    isDualUse: false,
  };
  return [{ channelType: 'pagechat', identity: pageId, profile, token }];
}

function photoAssetOf(page: Json): UpstreamAsset[] {
  const pageId = idOf(page['id']);
  const token = textOf(page['access_token']);
  const account = recordOf(page['instagram_business_account']);
  const identity = idOf(account?.['id']);
  if (pageId === null || token === null || identity === null) return [];
  const username = textOf(account?.['username']);
  const profile: UpstreamAsset['profile'] = {
    name: username,
    ...noNumber,
    photoappAccountId: identity,
    photoappUsername: username,
    pageId,
    isDualUse: false,
  };
  return [{ channelType: 'photoapp', identity, profile, token }];
}
