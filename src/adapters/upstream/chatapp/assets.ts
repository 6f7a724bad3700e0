import { PermissionsDeclined } from '../../../use-cases/ports/connecting.ts';
import type { UpstreamAsset } from '../../../use-cases/ports/connecting.ts';
import { fault } from '../../../kernel/faults.ts';
import { asId, asList, asRecord, asText } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import type { Graph, GraphSettings } from '../graph.ts';
import type { PickRequest } from '../kind.ts';
import { inspectToken, tokenForCode } from '../tokens.ts';
import { requiredScopes } from './dialog.ts';
import { isDualUse, readThroughput } from './number.ts';

const numberFields =
  'id,display_phone_number,verified_name,quality_rating,platform_type,is_on_biz_app,throughput,status';

/**
 * The numbers of the business accounts that a person shared. After a redirect the session data of the sign-up popup is not available, so
 * the accounts are read from the token's granular scopes. [upstream §2.4]
 */
export async function chatappAssets(
  graph: Graph,
  settings: GraphSettings,
  request: PickRequest,
): Promise<UpstreamAsset[]> {
  const token = await tokenForCode(graph, settings, request);
  const assets: UpstreamAsset[] = [];
  for (const businessAccountId of await sharedAccounts(graph, settings, token)) {
    const path = `/${encodeURIComponent(businessAccountId)}/phone_numbers`;
    const numbers = await graph.all({ path, query: { fields: numberFields }, token });
    assets.push(...numbers.flatMap((number) => readAsset(number, businessAccountId, token)));
  }
  return assets;
}

/** Ids of business accounts in upstream's order: newest first, as in the popup. */
async function sharedAccounts(graph: Graph, settings: GraphSettings, token: string): Promise<string[]> {
  const known = await inspectToken(graph, settings, token);
  if (known['is_valid'] === false) throw fault('upstream_failed', { why: 'its access token is not valid' });
  const targets = targetsByScope(known);
  const missing = requiredScopes.filter((scope) => !targets.has(scope));
  if (missing.length > 0) throw new PermissionsDeclined(missing);
  const [managed, messaged] = requiredScopes.map((scope) => targets.get(scope) ?? null);
  // A scope without targets applies to every account; an account needs both scopes.
  const both = managed?.filter((id) => messaged === null || messaged === undefined || messaged.includes(id));
  return [...new Set(both ?? messaged ?? [])];
}

/** Maps each scope to the ids that it is limited to; null: unlimited. */
function targetsByScope(known: Json): Map<string, string[] | null> {
  const targets = new Map<string, string[] | null>();
  for (const scope of asList(known['scopes'])) {
    const name = asText(scope);
    if (name !== null) targets.set(name, null);
  }
  for (const item of asList(known['granular_scopes'])) {
    const granular = asRecord(item);
    const name = asText(granular?.['scope']);
    if (granular === null || name === null) continue;
    const ids = asList(granular['target_ids']).map(asId);
    const limits = ids.filter((id) => id !== null);
    targets.set(name, Array.isArray(granular['target_ids']) ? limits : null);
  }
  return targets;
}

function readAsset(number: Json, businessAccountId: string, token: string): UpstreamAsset[] {
  const identity = asId(number['id']);
  if (identity === null) return [];
  const profile: UpstreamAsset['profile'] = {
    type: 'chatapp',
    phoneNumberId: identity,
    phoneNumber: asText(number['display_phone_number']),
    businessAccountId,
    qualityRating: asText(number['quality_rating']),
    isDualUse: isDualUse(number) ?? false,
    throughput: readThroughput(number),
  };
  return [{ channelType: 'chatapp', identity, name: asText(number['verified_name']), profile, token }];
}
