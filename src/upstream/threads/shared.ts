/** Attachments that are no file: shared posts and stories, links, places. [upstream §4.7, §4.8] */
import { asDegrees, asLink, asWords, present } from '../bounded.ts';
import { asRecord } from '../read.ts';
import type { Json } from '../read.ts';

/** The id of what is shared is named after its kind. */
const idMembers = ['reel_video_id', 'ig_post_media_id', 'id'] as const;

export function readShared(attachment: Json): Readonly<Record<string, unknown>> | undefined {
  const payload = asRecord(attachment['payload']);
  const place = asRecord(payload?.['coordinates']);
  const title = asWords(payload?.['title'] ?? attachment['title']);
  if (place !== null) return readPlace(place, title);
  const id = idMembers.map((name) => asWords(payload?.[name])).find((found) => found !== undefined);
  return present({ id, url: asLink(payload?.['url'] ?? attachment['url']), title });
}

/** Without both coordinates it is no place. */
function readPlace(place: Json, name: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const [latitude, longitude] = [asDegrees(place['lat'], 90), asDegrees(place['long'], 180)];
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, ...(name === undefined ? {} : { name }) };
}
