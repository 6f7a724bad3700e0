import { fault } from '../../kernel/faults.ts';

export type RecipientReason = 'empty' | 'no_digits' | 'not_numeric' | 'too_long';

/**
 * Returns `candidate` when it is 1 to `max` ASCII digits: fullwidth and Arabic digits are letters to upstream. Throws
 * fault `invalid_recipient` with the reason and `hint`, a sentence that says what to send instead. [spec: Errors; faults: 72]
 */
export function requireDigits(candidate: string, max: number, hint: string): string {
  const reason = problemOf(candidate, max);
  if (reason === null) return candidate;
  throw fault('invalid_recipient', { reason, hint });
}

function problemOf(candidate: string, max: number): RecipientReason | null {
  if (candidate.trim() === '') return 'empty';
  if (!/[0-9]/.test(candidate)) return 'no_digits';
  if (!/^[0-9]+$/.test(candidate)) return 'not_numeric';
  return candidate.length > max ? 'too_long' : null;
}
