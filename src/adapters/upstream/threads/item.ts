import type {
  ChannelFact,
  ConversationReceipt,
  Echo,
  InboundMessage,
  ParsedPost,
  Receipt,
} from '../../../domain/messages/facts.ts';
import type { ChannelType } from '../../../domain/vocabulary.ts';
import { keepMalformed, countIgnored, keepUnknown, unsupportedPart } from '../unparsed-items.ts';
import { asId, asList, asRecord, asText, asTime, isNoList } from '../read.ts';
import type { Json } from '../read.ts';
import { readThreadContent } from './content.ts';

/** The page or account of an entry; `now` replaces a missing time. */
interface Thread {
  channelType: ChannelType;
  identity: string;
  entry: Json;
  now: number;
}

interface Item {
  given: Json;
  sender: string | null;
  recipient: string | null;
  at: number;
}

/** Reads the items of pages and photo accounts, which have the same shape. [upstream §4.7, §4.8] */
export function* takeThreadItems(
  lists: readonly unknown[],
  thread: Thread,
  out: ParsedPost,
): Generator<void, void> {
  let taken = 0;
  for (const list of lists) {
    for (const given of asList(list)) {
      taken += 1;
      takeItem(given, thread, out);
      yield;
    }
  }
  if (taken === 0) leaveEntry(thread, out);
}

/** `changes` of the page or account itself (posts, comments, mentions) are no messages. */
function leaveEntry({ entry, channelType, identity }: Thread, out: ParsedPost): void {
  const { messaging, standby, changes } = entry;
  const place = { channelType, identity, kind: 'entry' };
  if (isNoList(messaging) || isNoList(standby)) keepMalformed(out, place, entry);
  else if (messaging === undefined && standby === undefined && changes === undefined)
    keepUnknown(out, place, entry);
  else countIgnored(out);
}

function takeItem(item: unknown, thread: Thread, out: ParsedPost): void {
  const place = { channelType: thread.channelType, identity: thread.identity, kind: 'messaging' };
  const given = asRecord(item);
  if (given === null) return keepMalformed(out, place, item);
  const found = readFacts(readItem(given, thread), thread);
  if (found === 'ignored') countIgnored(out);
  else if (found === 'unknown') keepUnknown(out, place, given);
  else if (found === 'malformed') keepMalformed(out, place, given);
  else if (Array.isArray(found)) for (const fact of found) out.facts.push(fact);
  else out.facts.push(found);
}

function readItem(given: Json, thread: Thread): Item {
  return {
    given,
    sender: asId(asRecord(given['sender'])?.['id']),
    recipient: asId(asRecord(given['recipient'])?.['id']),
    at: asTime(given['timestamp']) ?? asTime(thread.entry['time']) ?? thread.now,
  };
}

/** Members of items that are understood and ignored: they contain no new message. [upstream §4.7, §4.8, §4.9] */
const withoutEvent = [
  'reaction',
  'message_edit',
  'referral',
  'optin',
  'account_linking',
  'policy_enforcement',
  'response_feedback',
  'messaging_feedback',
  'game_play',
  'pass_thread_control',
  'take_thread_control',
  'request_thread_control',
  'app_roles',
];

function readFacts(
  item: Item,
  thread: Thread,
): ChannelFact | ChannelFact[] | 'ignored' | 'malformed' | 'unknown' {
  if (item.given['message'] !== undefined) return readMessage(item, thread);
  if (item.given['delivery'] !== undefined) return readDelivery(item, thread);
  if (item.given['read'] !== undefined) return readReadReceipt(item, thread);
  if (item.given['postback'] !== undefined) return readPostback(item, thread);
  return withoutEvent.some((member) => item.given[member] !== undefined) ? 'ignored' : 'unknown';
}

function readMessage(item: Item, thread: Thread): InboundMessage | Echo | 'ignored' | 'malformed' {
  const message = asRecord(item.given['message']);
  const upstreamId = asId(message?.['mid']);
  if (message === null || upstreamId === null) return 'malformed';
  // A deleted message, the account's message to itself, or a bare referral: no new message.
  if (message['is_deleted'] === true || message['is_self'] === true || isReferralAlone(message))
    return 'ignored';
  const { caption, parts } = readThreadContent(message);
  const { channelType, identity } = thread;
  if (message['is_echo'] === true) {
    if (item.recipient === null) return 'malformed';
    const appId = asId(message['app_id']);
    const tag = asId(message['metadata']);
    const { recipient, at } = item;
    return { kind: 'echo', channelType, identity, upstreamId, recipient, at, appId, tag, caption, parts };
  }
  if (item.sender === null) return 'malformed';
  const { sender: from, at } = item;
  return { kind: 'inbound', channelType, identity, upstreamId, from, fromName: null, at, caption, parts };
}

/** A person came through an ad and has written nothing yet. [upstream §4.8] */
function isReferralAlone(message: Json): boolean {
  const { referral, text, attachments, is_unsupported: isUnsupported } = message;
  return referral !== undefined && text === undefined && attachments === undefined && isUnsupported !== true;
}

/** A pressed button, menu entry or ice breaker; it may have no title. */
function readPostback(item: Item, thread: Thread): InboundMessage | 'ignored' | 'malformed' {
  const postback = asRecord(item.given['postback']);
  if (postback === null || item.sender === null) return 'malformed';
  const upstreamId = asId(postback['mid']);
  // Older API versions send no mid: a redelivery could not be told from a second press.
  if (upstreamId === null) return 'ignored';
  const { channelType, identity } = thread;
  const { sender: from, at } = item;
  const parts = [unsupportedPart('postback', asText(postback['title']))];
  return {
    kind: 'inbound',
    channelType,
    identity,
    upstreamId,
    from,
    fromName: null,
    at,
    caption: null,
    parts,
  };
}

/** `mids` name the messages; without them the watermark covers all earlier messages. [upstream §4.7] */
function readDelivery(item: Item, thread: Thread): Receipt[] | ConversationReceipt | 'malformed' {
  const delivery = asRecord(item.given['delivery']);
  if (delivery === null || item.sender === null) return 'malformed';
  const { channelType, identity } = thread;
  const { sender: recipient, at } = item;
  const receipts: Receipt[] = [];
  for (const mid of asList(delivery['mids'])) {
    const upstreamId = asId(mid);
    if (upstreamId === null) continue;
    receipts.push({
      kind: 'receipt',
      channelType,
      identity,
      status: 'delivered',
      upstreamId,
      tag: null,
      recipient,
      at,
      errors: [],
    });
  }
  if (receipts.length > 0) return receipts;
  return upTo('delivered', asTime(delivery['watermark']), null, item, thread);
}

/** Pages send a watermark, photo accounts the id of the last message read. [upstream §4.7, §4.8] */
function readReadReceipt(item: Item, thread: Thread): ConversationReceipt | 'malformed' {
  const read = asRecord(item.given['read']);
  if (read === null) return 'malformed';
  return upTo('read', asTime(read['watermark']), asId(read['mid']), item, thread);
}

function upTo(
  status: ConversationReceipt['status'],
  watermark: number | null,
  mid: string | null,
  item: Item,
  thread: Thread,
): ConversationReceipt | 'malformed' {
  if (item.sender === null || (watermark === null && mid === null)) return 'malformed';
  return {
    kind: 'conversation-receipt',
    channelType: thread.channelType,
    identity: thread.identity,
    status,
    recipient: item.sender,
    upTo: watermark,
    upToUpstreamId: mid,
    at: item.at,
  };
}
