/** Receipts of pages and photo accounts. [upstream §4.7, §4.8] */
import type { ConversationReceipt, Receipt } from '../../rules/messages/facts.ts';
import { asId, asList, asRecord, asTime } from '../read.ts';
import { routeOf } from './thread.ts';
import type { Item, Thread } from './thread.ts';

/** `mids` name messages, and the watermark covers all earlier ones too; either may be missing. */
export function readDelivery(item: Item, thread: Thread): (Receipt | ConversationReceipt)[] | 'malformed' {
  const delivery = asRecord(item.given['delivery']);
  if (delivery === null || item.sender === null) return 'malformed';
  const { sender: recipient, at } = item;
  const receipts: (Receipt | ConversationReceipt)[] = [];
  const common = { status: 'delivered', ...routeOf(thread, item.recipient), recipient, at } as const;
  for (const mid of asList(delivery['mids'])) {
    const upstreamId = asId(mid);
    if (upstreamId !== null) receipts.push({ kind: 'receipt', ...common, upstreamId, tag: null, errors: [] });
  }
  const watermark = asTime(delivery['watermark']);
  if (watermark !== null)
    receipts.push({ kind: 'conversation-receipt', ...common, upTo: watermark, upToUpstreamId: null });
  return receipts.length === 0 ? 'malformed' : receipts;
}

/** Pages send a watermark, photo accounts the id of the last message read. */
export function readReadReceipt(item: Item, thread: Thread): ConversationReceipt | 'malformed' {
  const read = asRecord(item.given['read']);
  const upTo = asTime(read?.['watermark']);
  const upToUpstreamId = asId(read?.['mid']);
  if (item.sender === null || (upTo === null && upToUpstreamId === null)) return 'malformed';
  const { sender: recipient, at } = item;
  const route = routeOf(thread, item.recipient);
  return { kind: 'conversation-receipt', ...route, status: 'read', recipient, upTo, upToUpstreamId, at };
}
