import { fault } from '../../kernel/faults.ts';
import { isLongerThan } from '../messages/text.ts';

/** Each stands in the contract. [spec: Errors] */
export const recipientReasons = ['empty', 'no_digits', 'not_numeric', 'too_long', 'trunk_prefix'] as const;
type RecipientReason = (typeof recipientReasons)[number];

/** Nothing that a `from` says is longer. */
const maxRecipient = 64;

/** Looked at before anything else: what follows reads every character. Throws fault `invalid_recipient`. */
export function requireShort(raw: string, hint: string): void {
  if (isLongerThan(maxRecipient, raw)) throw invalidRecipient('too_long', hint);
}

/**
 * Returns `candidate` when it is ASCII digits: fullwidth and Arabic digits are letters to upstream. Throws
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
  return /^[0-9]+$/.test(candidate) ? null : 'not_numeric';
}

/** What people part a number with: blanks and dashes of any script, dots, brackets, slashes. [operator-interface §4] */
export const separators = /[\p{Zs}\p{Pd}.·()[\]/]/gu;

/** Whom a search means: a number however it is written, else the id as it stands. */
export function personIn(text: string): string {
  const number = text.replaceAll(separators, '').replace(/^\+/, '');
  return /^[0-9]+$/.test(number) ? number : text.trim();
}
