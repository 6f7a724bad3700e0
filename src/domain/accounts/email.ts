import { domainToASCII, domainToUnicode } from 'node:url';

/** Of an address. [RFC 5321 §4.5.3.1.3] */
export const maxEmail = 254;
/** Of what stands before the @. [RFC 5321 §4.5.3.1.1] */
const maxLocalPart = 64;

/**
 * An address as it is stored and looked for: one account per person, however they spell it. A browser writes a host of other letters in
 * ASCII, who calls the admin API may not; an accented letter is one character or two. Only a mail can prove more.
 */
export function emailAsStored(given: string): string {
  const text = given.trim().toLowerCase();
  // What is longer is no address: no such text is worth converting.
  if (!beyondAscii.test(text) || text.length > maxEmail) return text;
  const [local, host] = partsOf(text.normalize('NFC'));
  return local + (beyondAscii.test(host) ? domainToASCII(host) || host : host);
}

/** As `emailAsStored`, then as versions of this service stored it that kept what was typed. */
export function storedSpellings(email: string): string[] {
  if (!isProved(email)) return [email];
  const stored = emailAsStored(email);
  const [local, host] = partsOf(stored);
  const typed = [host, domainToUnicode(host)].map((each) => local + (each || host));
  return [...new Set([stored, ...typed, ...typed.map((each) => each.normalize('NFD'))])];
}

const beyondAscii = /[^\0-\x7f]/;

/** Up to its @, and the rest; what has none has no host. */
function partsOf(text: string): [local: string, host: string] {
  const end = text.lastIndexOf('@') + 1 || text.length;
  return [text.slice(0, end), text.slice(end)];
}

/** Between dots. No quoted words: they hold what a mail program reads as more than one address. [RFC 5322 §3.2.3] */
const localWord = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const hostLabel = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Whether a text is one address and nothing else. One rule for the portal, the admin API and the mail adapter: no two of them read a
 * text as two addresses. [faults: 131]
 */
export function isEmail(text: string): boolean {
  // The length first: a long text must not reach the expressions.
  if (text.length > maxEmail) return false;
  const [local = '', host = '', ...more] = text.split('@');
  const isLocal = local.length <= maxLocalPart && local.split('.').every((word) => localWord.test(word));
  return more.length === 0 && isLocal && host.split('.').every((label) => hostLabel.test(label));
}

/**
 * What stands as the address of an account until its person has proved the address: no address, so that nobody is found under it, and
 * any number of accounts may ask for one address. Who proves it first has it. [faults: 133]
 */
export function unprovedEmail(email: string, accountId: string): string {
  return `${email} ${accountId}`;
}

export function isProved(stored: string): boolean {
  return !stored.includes(' ');
}

/** The address in a stored one, proved or not. */
export function addressIn(stored: string): string {
  return emailAsStored(stored.split(' ', 1)[0] ?? '');
}
