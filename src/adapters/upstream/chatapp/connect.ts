import { createHmac } from 'node:crypto';
import type { Channel } from '../../../domain/channels/channel.ts';
import { profileAs } from '../../../domain/channels/profile.ts';
import type { ChatappProfile } from '../../../domain/channels/profile.ts';
import { asId, asName, asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';
import { requireSuccess } from '../graph.ts';
import type { Graph } from '../graph.ts';
import { readConditions } from './conditions.ts';
import type { ConnectForm, DialogSettings } from '../kind.ts';
import { loginConfiguration } from '../login-configuration.ts';
import { isDualUse, readThroughput } from './number.ts';
import { chatappAssets } from './shared-numbers.ts';

/** How numbers of business accounts are connected and kept. [upstream §2.4] */
export const connectForm: ConnectForm = {
  isConfigured: ({ signupConfigId }) => signupConfigId !== null,
  dialogParams,
  assets: chatappAssets,
  subscriptionQuery: {},
  isHeardBy,
  profile: readProfile,
  conditions: readConditions,
  afterSubscribe: register,
};

/** The login configuration contains the scopes, so the dialog's URL does not. [upstream §2.4] */
function dialogParams({ signupConfigId, signupExtras }: DialogSettings): [name: string, value: string][] {
  return [...loginConfiguration(signupConfigId), ['extras', signupExtras]];
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
