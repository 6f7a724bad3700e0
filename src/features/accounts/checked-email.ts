import { emailAsStored, isEmail, notAnEmail } from '../../rules/email.ts';
import { requireValid, valueError } from '../../kernel/faults.ts';

/** The address in its stored form. Throws 422 `validation` if it is none. */
export function checkedEmail(raw: string): string {
  requireValid({ email: emailProblem(raw) });
  return emailAsStored(raw);
}

/** null if it is an e-mail address. */
export function emailProblem(raw: string): string | null {
  return isEmail(emailAsStored(raw)) ? null : valueError(notAnEmail).msg;
}
