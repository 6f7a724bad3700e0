import type { ChannelFact, Notice, ParsedPost } from '../../rules/messages/facts.ts';
import { asWord, countIgnored, isTestPush, keepMalformed, keepUnknown, noteItem } from '../unparsed-items.ts';
import { asId, asList, asRecord, asTime, isNoList } from '../read.ts';
import type { Json } from '../read.ts';
import { isReference, readMessage, readPostback } from './message.ts';
import { readDelivery, readReadReceipt } from './receipts.ts';
import type { Item, Thread } from './thread.ts';

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
function leaveEntry(thread: Thread, out: ParsedPost): void {
  const { entry, channelType, identity } = thread;
  const { messaging, standby, changes } = entry;
  const place = { channelType, identity, kind: 'entry' };
  if (isNoList(messaging) || isNoList(standby)) keepMalformed(out, place, entry);
  else if (messaging === undefined && standby === undefined && changes === undefined)
    keepUnknown(out, place, entry);
  else if (isTestPush(entry) || asList(changes).some((change) => pushedIn(change) !== null))
    noteItem(out, notice('test_push_received', thread));
  else countIgnored(out);
}

/** The item in a test event of upstream's dashboard: one of `changes`, with a sender. Comments and mentions have none. [upstream §4.8] */
export function pushedIn(change: unknown): Json | null {
  const value = asRecord(asRecord(change)?.['value']);
  return value !== null && asRecord(value['sender']) !== null ? value : null;
}

export function notice(kind: Notice['kind'], thread: Thread, detail: string | null = null): Notice {
  const { channelType, identity } = thread;
  return { kind, channelType, identity, detail };
}

function takeItem(item: unknown, thread: Thread, out: ParsedPost): void {
  const place = { channelType: thread.channelType, identity: thread.identity, kind: 'messaging' };
  const given = asRecord(item);
  if (given === null) return keepMalformed(out, place, item);
  const told = readNotice(given, thread);
  if (told !== null) return noteItem(out, told);
  const found = readFacts(readItem(given, thread), thread);
  if (found === 'ignored') countIgnored(out);
  else if (found === 'unknown') keepUnknown(out, place, given);
  else if (found === 'malformed') keepMalformed(out, place, given);
  else if (Array.isArray(found)) for (const fact of found) out.facts.push(fact);
  else out.facts.push(found);
}

function readNotice(given: Json, thread: Thread): Notice | null {
  if (isTestPush(thread.entry)) return notice('test_push_received', thread);
  const policy = asRecord(given['policy_enforcement']);
  if (policy !== null) return notice('policy_enforcement', thread, asWord(policy['action']));
  return isWithoutContent(given) ? notice('messages_without_content', thread) : null;
}

/** A new message, as upstream shows it to an app that may not read it: an edit that edits nothing, of nobody. [upstream §4.8] */
function isWithoutContent({ message_edit: edit, sender, recipient }: Json): boolean {
  const edited = asRecord(edit);
  return (
    edited !== null && Number(edited['num_edit']) === 0 && sender === undefined && recipient === undefined
  );
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
  'response_feedback',
  'messaging_feedback',
  'game_play',
  'payment',
  'pre_checkout',
  'checkout_update',
  'pass_thread_control',
  'take_thread_control',
  'request_thread_control',
  'app_roles',
];

function readFacts(
  item: Item,
  thread: Thread,
): ChannelFact | ChannelFact[] | 'ignored' | 'malformed' | 'unknown' {
  const { given } = item;
  if (isReference(given['sender'])) return 'ignored';
  if (given['message'] !== undefined) return readMessage(item, thread);
  if (given['delivery'] !== undefined) return readDelivery(item, thread);
  if (given['read'] !== undefined) return readReadReceipt(item, thread);
  if (given['postback'] !== undefined) return readPostback(item, thread);
  return withoutEvent.some((member) => given[member] !== undefined) ? 'ignored' : 'unknown';
}
