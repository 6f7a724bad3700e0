import type { Channel } from '../../../domain/channels/channel.ts';
import { profileAs } from '../../../domain/channels/profile.ts';
import type { Graph } from '../graph.ts';
import { idOf, recordOf, textOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';

/** Upstream names our app one level down; subscriptions of business accounts have no fields. [upstream §2.4] */
export function isHeardBy(app: Json, appId: string): boolean {
  return idOf(recordOf(app['whatsapp_business_api_data'])?.['id']) === appId;
}

/** No webhook carries the colour: it is read from the number. [upstream §4.6] */
export async function quality(graph: Graph, { profile }: Channel, token: string): Promise<string | null> {
  const number = profileAs(profile, 'chatapp');
  if (number === null) return null;
  const path = `/${encodeURIComponent(number.phoneNumberId)}`;
  const found = await graph.call({ path, query: { fields: 'quality_rating' }, token });
  return textOf(found['quality_rating']);
}
