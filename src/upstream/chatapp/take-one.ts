/** What every taker of a change needs: its context, and where its items go. */
import type { ParsedPost, UpstreamFact } from '../../rules/messages/facts.ts';
import type { Json } from '../read.ts';
import { countIgnored, keepMalformed, keepUnknown } from '../unparsed-items.ts';
import type { ItemOrigin } from '../unparsed-items.ts';

/** Context of a change. The number is in `value.metadata`, not in `entry.id`. [upstream §4.1] */
export interface Around {
  entry: Json;
  now: number;
}

export function locateItem(identity: string | null, kind: string): ItemOrigin {
  return { channelType: 'chatapp', identity, kind };
}

export function takeOne(
  found: UpstreamFact | 'ignored' | 'malformed' | 'unknown',
  place: ItemOrigin,
  item: unknown,
  out: ParsedPost,
): void {
  if (found === 'ignored') countIgnored(out);
  else if (found === 'unknown') keepUnknown(out, place, item);
  else if (found === 'malformed') keepMalformed(out, place, item);
  else out.facts.push(found);
}
