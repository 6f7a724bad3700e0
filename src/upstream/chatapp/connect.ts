import type { Channel } from '../../rules/channels/channel.ts';
import { profileAs } from '../../rules/channels/profile.ts';
import type { ChatappProfile } from '../../rules/channels/profile.ts';
import { asId, asName, asRecord } from '../read.ts';
import type { Json } from '../read.ts';
import type { Graph } from '../graph.ts';
import { readConditions } from './conditions.ts';
import type { ConnectForm, DialogSettings, ProfileRead } from '../kind.ts';
import { loginConfiguration } from '../login-configuration.ts';
import { isDualUse, readThroughput } from './number.ts';
import { register } from './register.ts';
import { chatappAssets } from './shared-numbers.ts';

/** How numbers of business accounts are connected and kept. [upstream §2.4] */
export const connectForm: ConnectForm = {
  isConfigured: ({ signupConfigId }) => signupConfigId !== null,
  dialogParams,
  assets: chatappAssets,
  // Tokens of the sign-up were seen without the other scopes, and worked. [upstream §2.4]
  permissions: ['whatsapp_business_messaging'],
  subscriptionQuery: {},
  isHeardBy,
  profile: readProfile,
  conditions: readConditions,
  register,
};

/** The login configuration contains the scopes, so the dialog's URL does not. [upstream §2.4] */
function dialogParams({ signupConfigId, signupExtras }: DialogSettings): [name: string, value: string][] {
  return [...loginConfiguration(signupConfigId), ['extras', signupExtras]];
}

/** Our app's id is one level down; subscriptions of business accounts have no fields. [upstream §2.4] */
function isHeardBy(app: Json, appId: string): boolean {
  return asId(asRecord(app['whatsapp_business_api_data'])?.['id']) === appId;
}

const profileFields = 'display_phone_number,quality_rating,is_on_biz_app,throughput';

/**
 * Reads the number, because no webhook reports its quality rating, or that it moved into the phone's app or out of it. Values that upstream
 * omits keep their known value. [upstream §2.4, §4.6]
 */
async function readProfile(graph: Graph, channel: Channel, token: string): Promise<ProfileRead | null> {
  const known = profileAs(channel.profile, 'chatapp');
  if (known === null) return null;
  const path = `/${encodeURIComponent(known.phoneNumberId)}`;
  const found = await graph.call({ path, query: { fields: profileFields }, token });
  const dualUse = isDualUse(found);
  const profile: ChatappProfile = {
    ...known,
    phoneNumber: asName(found['display_phone_number']) ?? known.phoneNumber,
    qualityRating: asName(found['quality_rating']) ?? known.qualityRating,
    isDualUse: dualUse ?? known.isDualUse,
    throughput: readThroughput(found) ?? known.throughput,
  };
  return { profile, saysEchoes: dualUse !== null };
}
