import { fault } from '../../kernel/faults.ts';
import { isLongerThan } from '../messages/text.ts';
import { withoutUnseen } from '../phone-number.ts';

/** All reasons are part of the contract. [spec: Errors] */
export const recipientReasons = [
  'empty',
  'no_digits',
  'not_numeric',
  'too_long',
  'trunk_prefix',
  'international_prefix',
  'needs_phone_number',
] as const;
type RecipientReason = (typeof recipientReasons)[number];

/** The longest `from` of an event: a business-scoped id of 128 characters after `CC.ENT.`. [operator-interface §4] */
export const maxRecipient = 135;
/** Scoped user ids of the other kinds are far shorter. */
export const maxScopedId = 64;

/** Id of a person whose number upstream hides: `DE.…`, `US.ENT.…`. Nothing laxer: a changed id is another person's, or nobody's. [upstream §4.1] */
const businessScopedId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

export function isBusinessScopedId(text: string): boolean {
  return businessScopedId.test(text);
}

const digits = /^[0-9]+$/;

/** A phone number as upstream names people by it, or a scoped user id. */
export function isDigits(text: string): boolean {
  return digits.test(text);
}

/** Call it first, because later checks read every character. Throws fault `invalid_recipient`. */
export function requireShort(raw: string, max: number, hint: string): void {
  if (isLongerThan(max, raw)) throw invalidRecipient('too_long', hint);
}

/**
 * Returns `candidate` if it is ASCII digits: upstream does not take fullwidth or Arabic ones as digits. Throws
 * fault `invalid_recipient` with the reason and `hint`, a sentence that says what to send instead. [spec: Errors; faults: 72]
 */
export function requireDigits(candidate: string, hint: string): string {
  const reason = findProblem(candidate);
  if (reason === null) return candidate;
  throw invalidRecipient(reason, hint);
}

export function invalidRecipient(reason: RecipientReason, hint: string): Error {
  return fault('invalid_recipient', { reason, hint });
}

function findProblem(candidate: string): RecipientReason | null {
  if (candidate.trim() === '') return 'empty';
  if (!/[0-9]/.test(candidate)) return 'no_digits';
  return isDigits(candidate) ? null : 'not_numeric';
}

/** Separators in phone numbers: blanks and dashes of any script, dots, brackets, slashes. [operator-interface §4] */
export const separators = /[\p{Zs}\p{Pd}.·()[\]/]/gu;

/** The number in `4915900000777.0`, as programs read a column of numbers: without its dot it would be another person's. [faults: 543] */
export function wholeOf(text: string): string | null {
  return /^\p{Zs}*\+?(\d+)\.0+\p{Zs}*$/u.exec(text)?.[1] ?? null;
}

/** `(0)`, the trunk prefix, is dialled only within a country. */
const trunkPrefix = /\(\p{Zs}*0\p{Zs}*\)/gu;

/**
 * The person in a search text: a phone number reduced to its digits, else the trimmed id. A search drops `(0)`, a leading `00` and a
 * fraction, which a send refuses.
 */
export function personIn(text: string): string {
  const shown = withoutUnseen(text);
  const number = (wholeOf(shown) ?? shown)
    .replaceAll(trunkPrefix, '')
    .replaceAll(separators, '')
    .replace(/^\+?(?:00)?/, '');
  return isDigits(number) ? number : text.trim();
}

const searchHint =
  'Send a phone number with its country code, or the id of a person as it came in data.from; names and user names find nobody.';

/** Throws fault `invalid_recipient` for a search text that can be nobody's number or id: its empty list would say that there are no messages. */
export function requirePerson(text: string): void {
  const person = personIn(text);
  if (!isBusinessScopedId(person)) requireDigits(person, searchHint);
}
