/** POSTs about business accounts: which change is read by whom. [upstream §4.1–4.6, §4.10] */
import type { ParsedPost } from '../../rules/messages/facts.ts';
import { digitsOf } from '../../rules/phone-number.ts';
import { asId, asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';
import { countIgnored, isTestPush, keepMalformed, noteItem } from '../unparsed-items.ts';
import { readPhoneNumberId, takeEchoes, takeMessages, takeStandby } from './messages.ts';
import { readAccountUpdate } from './account-read.ts';
import { locateItem, takeOne } from './take-one.ts';
import type { Around } from './take-one.ts';
import {
  readTemplateCategory,
  readTemplateComponents,
  readTemplateQuality,
  readTemplateStatus,
} from './template-read.ts';

type TakeChange = (value: Json, around: Around, out: ParsedPost) => Generator<void, void>;

/** Any other field is counted only: old messages, other changes of the account, and fields that are newer than this build. [upstream §4.4, §4.6] */
const takers = new Map<string, TakeChange>([
  ['messages', takeMessages],
  ['standby', takeStandby],
  ['smb_message_echoes', takeEchoes],
  ['message_template_status_update', ofTemplate(readTemplateStatus)],
  ['message_template_quality_update', ofTemplate(readTemplateQuality)],
  ['message_template_components_update', ofTemplate(readTemplateComponents)],
  ['template_category_update', ofTemplate(readTemplateCategory)],
  ['phone_number_quality_update', takeNumber],
  ['account_update', takeAccount],
]);

function ofTemplate(read: typeof readTemplateStatus): TakeChange {
  return function* take(value, { entry, now }, out) {
    takeOne(read(value, entry, now), locateItem(null, 'template'), value, out);
    yield;
  };
}

function* takeAccount(value: Json, { entry, now }: Around, out: ParsedPost): Generator<void, void> {
  takeOne(readAccountUpdate(value, entry, now), locateItem(null, 'account_update'), value, out);
  yield;
}

/** The event has the number as people write it, and no quality rating. [upstream §4.6] */
function* takeNumber(value: Json, { entry }: Around, out: ParsedPost): Generator<void, void> {
  const businessAccountId = asId(entry['id']);
  const phoneNumber = digitsOf(asId(value['display_phone_number']) ?? '');
  const isWhole = businessAccountId !== null && phoneNumber !== '';
  const found = isWhole ? ({ kind: 'number', businessAccountId, phoneNumber } as const) : 'malformed';
  takeOne(found, locateItem(null, 'phone_number_quality_update'), value, out);
  yield;
}

/** One `entry` of a `whatsapp_business_account` POST. */
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
  const take = takers.get(field);
  if (take === undefined) return countIgnored(out);
  const identity = value === null ? null : readPhoneNumberId(value);
  if (isTestPush(around.entry))
    return noteItem(out, { kind: 'test_push_received', channelType: 'chatapp', identity, detail: null });
  if (value === null) return keepMalformed(out, locateItem(identity, field), change);
  yield* take(value, around, out);
}
