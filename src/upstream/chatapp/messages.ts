/** The lists of messages, statuses and echoes in the changes of a number. [upstream §4.1, §4.3, §4.4, §4.10] */
import type { ParsedPost } from '../../rules/messages/facts.ts';
import { digitsOf } from '../../rules/phone-number.ts';
import { asId, asList, asRecord, isNoList } from '../read.ts';
import type { Json } from '../read.ts';
import { asWord, keepMalformed, noteItem } from '../unparsed-items.ts';
import { readAgentEcho, readEcho, readMessage } from './message.ts';
import type { OwnNumber } from './message.ts';
import { Names } from './names.ts';
import { readReceipt } from './status.ts';
import { locateItem, takeOne } from './take-one.ts';
import type { Around } from './take-one.ts';

type Steps = Generator<void, void>;

/** The field `messages`: messages of people, statuses, or errors of the app. */
export function* takeMessages(value: Json, around: Around, out: ParsedPost): Steps {
  const count = asList(value['messages']).length + asList(value['statuses']).length;
  const place = locateItem(readPhoneNumberId(value), 'messages');
  // A member is present and is no list.
  if (isNoList(value['messages']) || isNoList(value['statuses'])) keepMalformed(out, place, value);
  else if (count === 0) noteErrors(value, out);
  const own = readOwnNumber(value, around);
  if (own === null) return count === 0 ? undefined : keepMalformed(out, place, value, count);
  yield* takeLists(value, own, 'messages', out);
}

/** The field `smb_message_echoes`: what the business wrote in the phone's app. */
export function* takeEchoes(value: Json, around: Around, out: ParsedPost): Steps {
  const echoes = asList(value['message_echoes']);
  const own = readOwnNumber(value, around);
  const place = locateItem(readPhoneNumberId(value), 'smb_message_echoes');
  if (own === null || echoes.length === 0)
    return keepMalformed(out, place, value, Math.max(1, echoes.length));
  for (const item of echoes) {
    takeOne(readEcho(item, own), place, item, out);
    yield;
  }
}

/** The field `standby`: the conversation while upstream's agent answers it. Its lists are one level deeper. */
export function* takeStandby(value: Json, around: Around, out: ParsedPost): Steps {
  const standby = asRecord(value['standby']);
  const own = readOwnNumber(value, around);
  const place = locateItem(readPhoneNumberId(value), 'standby');
  const lists = [standby?.['messages'], standby?.['statuses'], standby?.['message_echoes']];
  const count = lists.flatMap(asList).length;
  if (standby === null || own === null || count === 0 || lists.some(isNoList))
    keepMalformed(out, place, value, Math.max(1, count));
  if (standby === null || own === null) return;
  yield* takeLists(standby, own, 'standby', out);
  for (const item of asList(standby['message_echoes'])) {
    takeOne(readAgentEcho(item, own), place, item, out);
    yield;
  }
}

function* takeLists(lists: Json, own: OwnNumber, field: string, out: ParsedPost): Steps {
  const place = locateItem(own.identity, field);
  for (const item of asList(lists['statuses'])) {
    takeOne(readReceipt(item, own.identity, own.now), place, item, out);
    yield;
  }
  const names = new Names(lists['contacts']);
  for (const item of asList(lists['messages'])) {
    takeOne(readMessage(item, own, names), place, item, out);
    yield;
  }
}

/** Only `errors`: a problem of the app or the account as a whole, of no message. [upstream §4.3] */
function noteErrors(value: Json, out: ParsedPost): void {
  const code = asList(value['errors']).map((error) => asWord(asRecord(error)?.['code']))[0] ?? null;
  noteItem(out, {
    kind: 'upstream_errors',
    channelType: 'chatapp',
    identity: readPhoneNumberId(value),
    detail: code,
  });
}

function readOwnNumber(value: Json, { now }: Around): OwnNumber | null {
  const identity = readPhoneNumberId(value);
  if (identity === null) return null;
  const shown = asId(asRecord(value['metadata'])?.['display_phone_number']);
  return { identity, digits: shown === null ? null : digitsOf(shown), now };
}

export function readPhoneNumberId(value: Json): string | null {
  return asId(asRecord(value['metadata'])?.['phone_number_id']);
}
