import { fieldFault } from '../../kernel/faults.ts';

/** Length is what counts; no rules about kinds of characters. */
export const passwordLengths = { least: 10, most: 200 };

/** Throws 422 `validation` at `password`. */
export function checkPassword(password: string, email: string): void {
  const { least, most } = passwordLengths;
  const length = Array.from(password).length;
  if (length < least) throw passwordFault(`Use at least ${least} characters.`);
  if (length > most) throw passwordFault(`Use at most ${most} characters.`);
  if (password.toLowerCase() === email.trim().toLowerCase()) {
    throw passwordFault('Use something else than your address.');
  }
}

function passwordFault(msg: string): Error {
  return fieldFault(['body', 'password'], msg);
}
