import type { ParsedPost } from '../../../domain/messages/facts.ts';
import { idOf, listOf, recordOf } from '../wire/read.ts';
import type { Json } from '../wire/read.ts';
import { takeThreadItems } from './item.ts';

/**
 * One `entry` of an `instagram` POST; its id is the account, not the page. The dashboard's test pushes come as `changes`
 * whose `value` is the same item. [upstream §4.8, §4.9]
 */
export function takeInstagramEntry(entry: Json, out: ParsedPost, now: number): void {
  const identity = idOf(entry['id']);
  if (identity === null) {
    out.malformed += 1;
    return;
  }
  const lists = [entry['messaging'], entry['standby'], testPushesIn(entry, out)];
  const taken = takeThreadItems(lists, { channelType: 'photoapp', identity, entry, now }, out);
  if (taken === 0) out.ignored += 1;
}

/** Comments, mentions and the like are `changes` too, without a sender. */
function testPushesIn(entry: Json, out: ParsedPost): Json[] {
  const pushes: Json[] = [];
  for (const item of listOf(entry['changes'])) {
    const value = recordOf(recordOf(item)?.['value']);
    if (value !== null && recordOf(value['sender']) !== null) pushes.push(value);
    else out.ignored += 1;
  }
  return pushes;
}
