import { createHmac } from 'node:crypto';
import { PermissionsDeclined } from '../../../use-cases/ports/connecting.ts';
import type { UpstreamAsset } from '../../../use-cases/ports/connecting.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Channel } from '../../../domain/channels/channel.ts';
import { profileAs } from '../../../domain/channels/profile.ts';
import type { ChatappProfile } from '../../../domain/channels/profile.ts';
import { asId, asList, asName, asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';
import { requireSuccess } from '../graph.ts';
import type { Graph, GraphSettings } from '../graph.ts';
import type { ConnectForm, DialogSettings, PickRequest } from '../kind.ts';
import { loginConfiguration } from '../login-configuration.ts';
import { inspectToken, tokenForCode } from '../tokens.ts';

/** How numbers of business accounts are connected and kept. [upstream §2.4] */
export const connectForm: ConnectForm = {
  isConfigured: ({ signupConfigId }) => signupConfigId !== null,
  dialogParams,
  assets: chatappAssets,
  subscriptionQuery: {},
  isHeardBy,
  profile: readProfile,
  afterSubscribe: register,
};

/** The login configuration contains the scopes, so the dialog's URL does not. [upstream §2.4] */
const requiredScopes = ['whatsapp_business_management', 'whatsapp_business_messaging'] as const;

function dialogParams({ signupConfigId, signupExtras }: DialogSettings): [name: string, value: string][] {
  return [...loginConfiguration(signupConfigId), ['extras', signupExtras]];
}

const numberFields =
  'id,display_phone_number,verified_name,quality_rating,platform_type,is_on_biz_app,throughput,status';

/**
 * The numbers of the business accounts that a person shared. After a redirect the session data of the sign-up popup is not available, so
 * the accounts are read from the token's granular scopes. [upstream §2.4]
 */
async function chatappAssets(
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
    phoneNumber: asName(number['display_phone_number']),
    businessAccountId,
    qualityRating: asName(number['quality_rating']),
    isDualUse: isDualUse(number) ?? false,
    throughput: readThroughput(number),
  };
  return [{ channelType: 'chatapp', identity, name: asName(number['verified_name']), profile, token }];
}

/** Whether the number also lives in the phone's business app; null if upstream does not say. [upstream §2.4: dual-use test] */
function isDualUse(number: Json): boolean | null {
  const isOnApp = number['is_on_biz_app'];
  return typeof isOnApp === 'boolean' ? isOnApp && number['platform_type'] === 'CLOUD_API' : null;
}

/** The number's throughput level; undefined if upstream does not say. [upstream §3.8] */
function readThroughput(number: Json): string | undefined {
  return asText(asRecord(number['throughput'])?.['level']) ?? undefined;
}

const pinMismatch = 133005;

/**
 * Registers a number, unless it is dual-use. Registering again succeeds with the right PIN and fails with another. A connected number that
 * has a foreign PIN needs no registration. Throws Fault `upstream_failed`. [upstream §2.4 notes]
 */
async function register(graph: Graph, { profile }: Channel, token: string, pinSecret: string): Promise<void> {
  const number = profileAs(profile, 'chatapp');
  if (number === null || number.isDualUse) return;
  const { phoneNumberId } = number;
  const path = `/${encodeURIComponent(phoneNumberId)}`;
  const pin = derivePin(phoneNumberId, pinSecret);
  const attempt = await graph.attempt({
    method: 'POST',
    path: `${path}/register`,
    body: { messaging_product: 'whatsapp', pin },
    token,
    secrets: [pin],
  });
  if (attempt.ok) return requireSuccess(attempt.answer, 'the registration of the number');
  if (attempt.error.code !== pinMismatch) throw attempt.fault;
  const known = await graph.call({ path, query: { fields: 'status' }, token });
  if (asText(known['status']) !== 'CONNECTED') throw attempt.fault;
}

/**
 * Six digits that nobody can guess without the secret, and the same each time: a random PIN that nobody stored would prevent the owner
 * from connecting the number again. So the secret outlives a rotation of the app's. [decisions: two-step PINs]
 */
export function derivePin(phoneNumberId: string, pinSecret: string): string {
  const digest = createHmac('sha256', pinSecret).update(`two-step PIN of ${phoneNumberId}`).digest();
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

/** Our app's id is one level down; subscriptions of business accounts have no fields. [upstream §2.4] */
function isHeardBy(app: Json, appId: string): boolean {
  return asId(asRecord(app['whatsapp_business_api_data'])?.['id']) === appId;
}

const profileFields = 'display_phone_number,quality_rating,platform_type,is_on_biz_app,throughput';

/**
 * Reads the number, because no webhook reports its quality rating, or that it moved into the phone's app or out of it. Values that upstream
 * omits keep their known value. [upstream §2.4, §4.6]
 */
async function readProfile(graph: Graph, channel: Channel, token: string): Promise<ChatappProfile | null> {
  const known = profileAs(channel.profile, 'chatapp');
  if (known === null) return null;
  const path = `/${encodeURIComponent(known.phoneNumberId)}`;
  const found = await graph.call({ path, query: { fields: profileFields }, token });
  return {
    ...known,
    phoneNumber: asName(found['display_phone_number']) ?? known.phoneNumber,
    qualityRating: asName(found['quality_rating']) ?? known.qualityRating,
    isDualUse: isDualUse(found) ?? known.isDualUse,
    throughput: readThroughput(found) ?? known.throughput,
  };
}
