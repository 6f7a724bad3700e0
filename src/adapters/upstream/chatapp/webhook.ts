import type { Echo, InboundMessage, ParsedPost, UpstreamFact } from '../../../domain/messages/facts.ts';
import { keepMalformed, countIgnored, keepUnknown } from '../unparsed-items.ts';
import type { ItemOrigin } from '../unparsed-items.ts';
import { asId, asList, asRecord, asText, asTime, isNoList } from '../read.ts';
import type { Json } from '../read.ts';
import { readContent } from './content.ts';
import { readReceipt } from './status.ts';
import { Names, withoutPlus } from './names.ts';
import {
  readTemplateCategory,
  readTemplateComponents,
  readTemplateQuality,
  readTemplateStatus,
} from './template-read.ts';

/** Context of a change. The number is in `value.metadata`, not in `entry.id`. [upstream §4.1] */
interface Around {
  entry: Json;
  now: number;
}

type TakeChange = (value: Json, around: Around, out: ParsedPost) => Generator<void, void>;

/** Fields that are ignored: old messages, and changes of the account. [upstream §4.4, §4.6] */
const withoutEvent = new Set([
  'history',
  'smb_app_state_sync',
  'account_update',
  'phone_number_name_update',
  'account_review_update',
  'account_alerts',
  'business_capability_update',
  'security',
  'user_preferences',
  'payment_configuration_update',
  'partner_solutions',
  'flows',
  'calls',
  'business_username_updates',
]);

const takers = new Map<string, TakeChange>([
  ['messages', takeMessages],
  ['smb_message_echoes', takeEchoes],
  ['message_template_status_update', ofTemplate(readTemplateStatus)],
  ['message_template_quality_update', ofTemplate(readTemplateQuality)],
  ['message_template_components_update', ofTemplate(readTemplateComponents)],
  ['template_category_update', ofTemplate(readTemplateCategory)],
  ['phone_number_quality_update', takeNumber],
]);

function ofTemplate(read: typeof readTemplateStatus): TakeChange {
  return function* take(value, { entry, now }, out) {
    takeOne(read(value, entry, now), locateItem(null, 'template'), value, out);
    yield;
  };
}

/** The event has the number as people write it, and no quality rating. [upstream §4.6] */
function* takeNumber(value: Json, { entry }: Around, out: ParsedPost): Generator<void, void> {
  const businessAccountId = asId(entry['id']);
  const phoneNumber = asId(value['display_phone_number'])?.replaceAll(/[^0-9]/g, '') ?? '';
  const isWhole = businessAccountId !== null && phoneNumber !== '';
  const found = isWhole ? ({ kind: 'number', businessAccountId, phoneNumber } as const) : 'malformed';
  takeOne(found, locateItem(null, 'phone_number_quality_update'), value, out);
  yield;
}

/** One `entry` of a `whatsapp_business_account` POST. [upstream §4.1–4.6] */
export function* takeChatappEntry(entry: Json, out: ParsedPost, now: number): Generator<void, void> {
  const changes = entry['changes'];
  if (!Array.isArray(changes)) return keepMalformed(out, locateItem(null, 'entry'), entry);
  for (const item of changes) {
    yield* takeChange(item, { entry, now }, out);
    yield;
  }
}

function* takeChange(item: unknown, around: Around, out: ParsedPost): Generator<void, void> {
  const change = asRecord(item);
  const field = asText(change?.['field']);
  const value = asRecord(change?.['value']);
  if (change === null || field === null) return keepMalformed(out, locateItem(null, 'changes'), item);
  if (withoutEvent.has(field)) return countIgnored(out);
  const place = locateItem(value === null ? null : readPhoneNumberId(value), field);
  const take = takers.get(field);
  if (take === undefined) keepUnknown(out, place, change);
  else if (value === null) keepMalformed(out, place, change);
  else yield* take(value, around, out);
}

function* takeMessages(value: Json, around: Around, out: ParsedPost): Generator<void, void> {
  const messages = asList(value['messages']);
  const statuses = asList(value['statuses']);
  const count = messages.length + statuses.length;
  const identity = readPhoneNumberId(value);
  const place = locateItem(identity, 'messages');
  // A member is present and is no list.
  if (isNoList(value['messages']) || isNoList(value['statuses'])) keepMalformed(out, place, value);
  // Only `errors`: a problem of the app as a whole, of no message. [upstream §4.3]
  else if (count === 0) countIgnored(out);
  if (identity === null) return count === 0 ? undefined : keepMalformed(out, place, value, count);
  for (const item of statuses) {
    takeOne(readReceipt(item, identity, around.now), place, item, out);
    yield;
  }
  const names = new Names(value['contacts']);
  for (const item of messages) {
    takeOne(readInbound(item, identity, names, around.now), place, item, out);
    yield;
  }
}

function* takeEchoes(value: Json, around: Around, out: ParsedPost): Generator<void, void> {
  const echoes = asList(value['message_echoes']);
  const identity = readPhoneNumberId(value);
  const place = locateItem(identity, 'smb_message_echoes');
  if (identity === null || echoes.length === 0)
    return keepMalformed(out, place, value, Math.max(1, echoes.length));
  for (const item of echoes) {
    takeOne(readEcho(item, identity, around.now), place, item, out);
    yield;
  }
}

function locateItem(identity: string | null, kind: string): ItemOrigin {
  return { channelType: 'chatapp', identity, kind };
}

function takeOne(
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

function readPhoneNumberId(value: Json): string | null {
  return asId(asRecord(value['metadata'])?.['phone_number_id']);
}

function readInbound(
  item: unknown,
  identity: string,
  names: Names,
  now: number,
): InboundMessage | 'ignored' | 'malformed' {
  const message = asRecord(item);
  if (message === null) return 'malformed';
  const content = readContent(message);
  if (content === 'ignored' || content === 'malformed') return content;
  const upstreamId = asId(message['id']);
  // A person with a username may have no visible number: then the business-scoped id identifies them. [upstream §4.1]
  const from = withoutPlus(asId(message['from']) ?? asId(message['from_user_id']));
  if (upstreamId === null || from === null) return 'malformed';
  return {
    kind: 'inbound',
    channelType: 'chatapp',
    identity,
    upstreamId,
    from,
    fromName: names.of(from, asId(message['from_user_id'])),
    at: asTime(message['timestamp']) ?? now,
    caption: content.caption,
    parts: content.parts,
  };
}

function readEcho(item: unknown, identity: string, now: number): Echo | 'ignored' | 'malformed' {
  const message = asRecord(item);
  if (message === null) return 'malformed';
  const content = readContent(message);
  if (content === 'ignored' || content === 'malformed') return content;
  const upstreamId = asId(message['id']);
  const recipient = withoutPlus(asId(message['to']) ?? asId(message['to_user_id']));
  if (upstreamId === null || recipient === null) return 'malformed';
  return {
    kind: 'echo',
    channelType: 'chatapp',
    identity,
    upstreamId,
    recipient,
    at: asTime(message['timestamp']) ?? now,
    appId: null,
    tag: null,
    caption: content.caption,
    parts: content.parts,
  };
}
