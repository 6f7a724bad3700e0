import type { Channel } from '../../../domain/channels/channel.ts';
import type { ChatappProfile } from '../../../domain/channels/profile.ts';
import { profileAs } from '../../../domain/channels/profile.ts';
import type { Graph } from '../graph.ts';
import { asId, asRecord, asText } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { isDualUse, readThroughput } from './number.ts';

/** Our app's id is one level down; subscriptions of business accounts have no fields. [upstream §2.4] */
export function isHeardBy(app: Json, appId: string): boolean {
  return asId(asRecord(app['whatsapp_business_api_data'])?.['id']) === appId;
}

const fields = 'display_phone_number,quality_rating,platform_type,is_on_biz_app,throughput';

/**
 * Reads the number, because no webhook reports its quality rating, or that it moved into the phone's app or out of it. Values that upstream
 * omits keep their known value. [upstream §2.4, §4.6]
 */
export async function profile(graph: Graph, channel: Channel, token: string): Promise<ChatappProfile | null> {
  const known = profileAs(channel.profile, 'chatapp');
  if (known === null) return null;
  const path = `/${encodeURIComponent(known.phoneNumberId)}`;
  const found = await graph.call({ path, query: { fields }, token });
  return {
    ...known,
    phoneNumber: asText(found['display_phone_number']) ?? known.phoneNumber,
    qualityRating: asText(found['quality_rating']) ?? known.qualityRating,
    isDualUse: isDualUse(found) ?? known.isDualUse,
    throughput: readThroughput(found) ?? known.throughput,
  };
}
