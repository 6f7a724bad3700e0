/** `account_update`: what became of a business account, or of our access to it. [upstream §4.6] */
import type { AccountFact } from '../../rules/messages/facts.ts';
import { digitsOf } from '../../rules/phone-number.ts';
import { asId, asList, asRecord, asTime, recordsIn } from '../read.ts';
import type { Json } from '../read.ts';
import { asWord } from './template-read.ts';

type Change = AccountFact['change'];

/** Words that change nothing for a channel (`PARTNER_ADDED`, prices, verification) are not here. */
const changes: ReadonlyMap<string, Change> = new Map([
  ['PARTNER_REMOVED', 'removed'],
  ['PARTNER_APP_UNINSTALLED', 'removed'],
  ['ACCOUNT_DELETED', 'deleted'],
  ['ACCOUNT_OFFBOARDED', 'paused'],
  ['ACCOUNT_RECONNECTED', 'resumed'],
  ['ACCOUNT_VIOLATION', 'violated'],
]);

/** `DISABLED_UPDATE` tells in its `ban_info` which. */
const bans: ReadonlyMap<string, Change> = new Map([
  ['DISABLE', 'disabled'],
  ['SCHEDULE_FOR_DISABLE', 'to-be-disabled'],
  ['REINSTATE', 'reinstated'],
]);

export function readAccountUpdate(
  value: Json,
  entry: Json,
  now: number,
): AccountFact | 'ignored' | 'malformed' {
  const event = asWord(value['event']);
  if (event === null) return 'malformed';
  const change = changeIn(event, value);
  if (change === undefined) return 'ignored';
  const businessAccountId = accountIn(value, entry);
  if (businessAccountId === null) return 'malformed';
  const appId = asId(asRecord(value['waba_info'])?.['partner_app_id']);
  return {
    kind: 'account',
    businessAccountId,
    phoneNumber: digitsIn(value['phone_number']),
    at: asTime(entry['time']) ?? now,
    change,
    says: detailsIn(value),
    ...(appId === null ? {} : { appId }),
  };
}

function changeIn(event: string, value: Json): Change | undefined {
  if (event === 'DISABLED_UPDATE')
    return bans.get(asWord(asRecord(value['ban_info'])?.['waba_ban_state']) ?? '');
  return event === 'ACCOUNT_RESTRICTION' ? restrictionIn(value) : changes.get(event);
}

/** Of upstream's restrictions only those of messaging are about messages; others are about calls, new numbers or new templates. */
function restrictionIn(value: Json): Change {
  const types = recordsIn(value['restriction_info']).map((each) => asWord(each['restriction_type']));
  const isOfMessages = types.some((type) => type?.endsWith('_MESSAGING') === true);
  return isOfMessages || types.length === 0 ? 'restricted' : 'limited';
}

/** `entry.id` is the partner's portfolio where the value names the account, and else the account. */
function accountIn(value: Json, entry: Json): string | null {
  return asId(asRecord(value['waba_info'])?.['waba_id']) ?? asId(entry['id']);
}

function digitsIn(number: unknown): string | null {
  const digits = digitsOf(asId(number) ?? '');
  return digits === '' ? null : digits;
}

const maxRestrictions = 5;

/** Upstream's words for what and until when, for people; null: it says none. */
function detailsIn(value: Json): string | null {
  const words = [
    ...asList(value['restriction_info']).slice(0, maxRestrictions).flatMap(restrictionWords),
    asWord(asRecord(value['violation_info'])?.['violation_type']),
    asWord(asRecord(value['ban_info'])?.['waba_ban_date']),
    asWord(asRecord(value['disconnection_info'])?.['reason']),
  ].filter((word) => word !== null);
  return words.length === 0 ? null : words.join(', ');
}

function restrictionWords(item: unknown): string[] {
  const restriction = asRecord(item);
  const type = asWord(restriction?.['restriction_type']);
  if (type === null) return [];
  const until = asTime(restriction?.['expiration']);
  return [until === null ? type : `${type} until ${new Date(until).toISOString()}`];
}
