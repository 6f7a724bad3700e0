import type { Channel } from '../channel.ts';
import { fault } from '../../../kernel/faults.ts';
import { profileAs } from '../profile.ts';
import { invalidRecipient, requireDigits, requireShort, separators } from '../recipient.ts';

/** E.164 allows no more. */
const maxNumber = 15;
/** Whom upstream shows without a number: `DE.…`, `US.ENT.…`. [upstream §4.1] */
const businessScopedId = /^[A-Z]{2}\.(?:ENT\.)?[0-9]+$/;
const hint =
  'Send the phone number with country code, digits only, for example 4915900000777, or what data.from of a received message said.';
const trunkHint = `Leave out the (0): it is dialled within the country only. ${hint}`;

const trunkPrefix = /[([]\p{Zs}*0\p{Zs}*[)\]]/u;

/**
 * A phone number as digits, or a business-scoped id as it stands. A `(0)` is not taken away with its brackets: with it or without it
 * would be another number, and only its owner knows which. Throws faults `invalid_recipient`, `recipient_equals_sender`.
 */
export function checkPhoneNumber(raw: string, channel: Channel): string {
  requireShort(raw, hint);
  if (businessScopedId.test(raw)) return raw;
  const digits = requireDigits(bareNumber(raw), hint);
  if (digits.length > maxNumber) throw invalidRecipient('too_long', hint);
  if (digits === keepDigits(profileAs(channel.profile, 'chatapp')?.phoneNumber ?? null))
    throw fault('recipient_equals_sender');
  return digits;
}

/** Most are digits already: they are not searched for what parts them. */
function bareNumber(raw: string): string {
  if (/^[0-9]+$/.test(raw)) return raw;
  if (trunkPrefix.test(raw)) throw invalidRecipient('trunk_prefix', trunkHint);
  const bare = raw.replaceAll(separators, '');
  const candidate = bare.startsWith('+') ? bare.slice(1) : bare;
  // '+' or '--' alone was not empty when it was sent.
  if (candidate === '' && raw.trim() !== '') throw invalidRecipient('no_digits', hint);
  return candidate;
}

/** Upstream writes the channel's own number for people: `+1 555-010-0042`. */
function keepDigits(phoneNumber: string | null): string | null {
  return phoneNumber === null ? null : phoneNumber.replaceAll(/[^0-9]/g, '');
}
