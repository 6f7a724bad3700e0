import Bowser from 'bowser';
import { oneLine } from '../../rules/mails/letter.ts';

/** A longer header is no browser's, and must not reach the library's regular expressions. */
const maxHeader = 300;

/** Browser and system of a `User-Agent`, "Firefox on Linux"; null: not known. The header is the client's: it proves nothing. */
export function nameAgent(header = ''): string | null {
  if (header === '' || header.length > maxHeader) return null;
  const { browser, os } = Bowser.parse(header);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  return names.length === 0 ? null : oneLine(names.join(' on '));
}
