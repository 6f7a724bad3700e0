import { emailAsStored } from '../../domain/accounts/email.ts';
import { countCharacters } from '../../domain/messages/text.ts';
import { fieldFault } from '../../kernel/faults.ts';

/** In code points. There are no rules about kinds of characters. */
export const passwordLengths = { min: 10, max: 200 };

/** Throws 422 `validation` at `password`. */
export function checkPassword(password: string, email: string): void {
  const { min, max } = passwordLengths;
  const length = countCharacters(password);
  if (length < min) throw passwordFault(`Use at least ${min} characters.`);
  if (length > max) throw passwordFault(`Use at most ${max} characters.`);
  if (password.toLowerCase() === emailAsStored(email)) {
    throw passwordFault('Use something else than your address.');
  }
}

function passwordFault(msg: string): Error {
  return fieldFault(['body', 'password'], msg);
}
