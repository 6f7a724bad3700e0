import type { ParsedPost } from '../../../domain/messages/facts.ts';
import { idOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { takeThreadItems } from './item.ts';

/**
 * One `entry` of a `page` POST. `standby` holds what another app may answer first: it was said to the business all the same.
 * Page `changes` (posts, mentions) are no messages. [upstream §4.7, §4.9]
 */
export function takePageEntry(entry: Json, out: ParsedPost, now: number): void {
  const identity = idOf(entry['id']);
  if (identity === null) {
    out.malformed += 1;
    return;
  }
  const lists = [entry['messaging'], entry['standby']];
  const taken = takeThreadItems(lists, { channelType: 'pagechat', identity, entry, now }, out);
  if (taken === 0) out.ignored += 1;
}
