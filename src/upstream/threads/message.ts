/** Messages, echoes and pressed buttons of pages and photo accounts. [upstream §4.7, §4.8] */
import type { Echo, InboundMessage } from '../../rules/messages/facts.ts';
import { idFrom } from '../../kernel/ids.ts';
import { asWords, present } from '../bounded.ts';
import { unsupportedPart } from '../unparsed-items.ts';
import { asId, asRecord, asText, asTime } from '../read.ts';
import type { Json } from '../read.ts';
import { readThreadContent } from './content.ts';
import { readThreadContext } from './context.ts';
import { routeOf } from './thread.ts';
import type { Item, Left, Thread } from './thread.ts';

export function readMessage(item: Item, thread: Thread): InboundMessage | Echo | Left {
  const message = asRecord(item.given['message']);
  const upstreamId = asId(message?.['mid']);
  if (message === null || upstreamId === null) return 'malformed';
  // A deleted message, the account's message to itself, or a bare referral: no new message.
  if (message['is_deleted'] === true || message['is_self'] === true || isReferralAlone(message))
    return 'ignored';
  if (message['is_echo'] === true) return readEcho(item, message, upstreamId, thread);
  // What the page itself wrote is no message of a person, also without the mark of an echo.
  if (item.sender === thread.identity) {
    const isToPerson = item.recipient !== null && item.recipient !== thread.identity;
    return isToPerson ? readEcho(item, message, upstreamId, thread) : 'ignored';
  }
  if (item.sender === null) return 'malformed';
  const { sender: from, at } = item;
  const route = routeOf(thread, item.recipient);
  return {
    kind: 'inbound',
    ...route,
    upstreamId,
    from,
    fromName: null,
    at,
    ...readThreadContent(message),
    ...readThreadContext(message),
  };
}

function readEcho(item: Item, message: Json, upstreamId: string, thread: Thread): Echo | Left {
  const { recipient, at } = item;
  if (recipient === null) return isReference(item.given['recipient']) ? 'ignored' : 'malformed';
  const appId = asId(message['app_id']);
  const tag = asId(message['metadata']);
  const route = routeOf(thread, item.sender);
  return { kind: 'echo', ...route, upstreamId, recipient, at, appId, tag, ...readThreadContent(message) };
}

/** A person of a plugin whom the page can't write to yet. [upstream §4.7] */
export function isReference(party: unknown): boolean {
  const given = asRecord(party);
  return given !== null && given['id'] === undefined && given['user_ref'] !== undefined;
}

/** A person came through an ad and has written nothing yet. [upstream §4.8] */
function isReferralAlone(message: Json): boolean {
  const { referral, text, attachments, is_unsupported: isUnsupported } = message;
  return referral !== undefined && text === undefined && attachments === undefined && isUnsupported !== true;
}

/** A pressed button, menu entry or ice breaker; it may have no title. */
export function readPostback(item: Item, thread: Thread): InboundMessage | Left {
  const postback = asRecord(item.given['postback']);
  if (postback === null || item.sender === null) return 'malformed';
  const upstreamId = asId(postback['mid']) ?? nameOfPress(item, postback, thread);
  if (upstreamId === null) return 'ignored';
  const { sender: from, at } = item;
  const { title, payload } = postback;
  const button = present({ id: asWords(payload), title: asWords(title) });
  const parts = [unsupportedPart('postback', { text: asText(title), button })];
  const route = routeOf(thread, item.recipient);
  const context = readThreadContext(postback);
  return {
    kind: 'inbound',
    ...route,
    upstreamId,
    from,
    fromName: null,
    at,
    caption: null,
    parts,
    ...context,
  };
}

/**
 * Older API versions send no `mid`: the same person, time and button are the same press. null without a time: a redelivery could not be told
 * from a second press.
 */
function nameOfPress({ given, sender }: Item, postback: Json, { entry }: Thread): string | null {
  const at = asTime(given['timestamp']) ?? asTime(entry['time']);
  if (at === null || sender === null) return null;
  const button = asText(postback['payload']) ?? asText(postback['title']) ?? '';
  return `postback/${idFrom(sender, String(at), button)}`;
}
