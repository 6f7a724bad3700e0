import { fault } from '../../../kernel/faults.ts';
import type { Channel } from '../channel.ts';
import { profileAs } from '../profile.ts';
import { requireDigits } from '../recipient.ts';

/** E.164 allows no more. */
const maxNumber = 15;
/** Nothing that a `from` says is longer. */
const maxRecipient = 64;
/** Whom upstream shows without a number: `DE.…`, `US.ENT.…`. [upstream §4.1] */
const businessScopedId = /^[A-Z]{2}\.(?:ENT\.)?[0-9]+$/;
const hint =
  'Send the phone number with country code, digits only, for example 4915900000777, or what data.from of a received message said.';

/**
 * A phone number as digits, or a business-scoped id as it stands. Of a number a leading `+`, spaces and dashes are taken away
 * and nothing else: brackets as in `+49 (0) 159` would make another number. Throws faults `invalid_recipient`, `recipient_equals_sender`. [operator-interface §4]
 */
export function checkPhoneNumber(raw: string, channel: Channel): string {
  if (raw.length > maxRecipient) throw fault('invalid_recipient', { reason: 'too_long', hint });
  if (businessScopedId.test(raw)) return raw;
  const bare = raw.replaceAll(/[ -]/g, '');
  const candidate = bare.startsWith('+') ? bare.slice(1) : bare;
  // '+' or '--' alone was not empty when it was sent.
  if (candidate === '' && raw.trim() !== '') throw fault('invalid_recipient', { reason: 'no_digits', hint });
  const digits = requireDigits(candidate, maxNumber, hint);
  if (digits === digitsOf(profileAs(channel.profile, 'chatapp')?.phoneNumber ?? null))
    throw fault('recipient_equals_sender');
  return digits;
}

/** Upstream writes the channel's own number for people: `+1 555-010-0042`. */
function digitsOf(phoneNumber: string | null): string | null {
  return phoneNumber === null ? null : phoneNumber.replaceAll(/[^0-9]/g, '');
}
