import { domainToASCII, domainToUnicode } from 'node:url';

/** Longest address. [RFC 5321 §4.5.3.1.3] */
export const maxEmail = 254;
/** Longest part before the @. [RFC 5321 §4.5.3.1.1] */
const maxLocalPart = 64;

/**
 * Normal form of an address, for storage and look-ups, so that all spellings lead to one account. Browsers convert a non-ASCII host to
 * ASCII, clients of the admin API may not; an accented letter is one or two code points. Only a mail can prove more.
 */
export function emailAsStored(given: string): string {
  const text = given.trim().toLowerCase();
  // A longer text is no address, so it need not be converted.
  if (!beyondAscii.test(text) || text.length > maxEmail) return text;
  const [local, host] = partsOf(text.normalize('NFC'));
  return local + (beyondAscii.test(host) ? domainToASCII(host) || host : host);
}

/** The normal form first, then the spellings that earlier versions stored as typed. */
export function storedSpellings(email: string): string[] {
  if (!isConfirmed(email)) return [email];
  const stored = emailAsStored(email);
  const [local, host] = partsOf(stored);
  const typed = [host, domainToUnicode(host)].map((each) => local + (each || host));
  return [...new Set([stored, ...typed, ...typed.map((each) => each.normalize('NFD'))])];
}

const beyondAscii = /[^\0-\x7f]/;

/** Splits after the @; a text without one has an empty host. */
function partsOf(text: string): [local: string, host: string] {
  const end = text.lastIndexOf('@') + 1 || text.length;
  return [text.slice(0, end), text.slice(end)];
}

/** The parts between dots. No quoted strings: mail programs could read several addresses in one. [RFC 5322 §3.2.3] */
const localWord = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const hostLabel = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Whether a text is exactly one address. The portal, the admin API and the mailer share this rule, so that none of them reads a
 * text as two addresses. [faults: 131]
 */
export function isEmail(text: string): boolean {
  // The length is checked first: a long text must not reach the regular expressions.
  if (text.length > maxEmail) return false;
  const [local = '', host = '', ...more] = text.split('@');
  const isLocal = local.length <= maxLocalPart && local.split('.').every((word) => localWord.test(word));
  return more.length === 0 && isLocal && host.split('.').every((label) => hostLabel.test(label));
}

/** What a text that is no address breaks. */
export const notAnEmail = 'must be an e-mail address';

/**
 * Placeholder for an account's address until its person has confirmed it. It is no valid address, so that no look-up finds it and
 * any number of accounts may claim one address. The first proof wins. [faults: 133]
 */
export function unconfirmedEmail(email: string, accountId: string): string {
  return `${email} ${accountId}`;
}

/** Placeholder for the address of an account that is being deleted: nobody's, and unconfirmed. */
export const leavingEmail = (accountId: string): string => unconfirmedEmail('', accountId);

export function isConfirmed(stored: string): boolean {
  return !stored.includes(' ');
}

/** The address in its stored form, confirmed or not. */
export function addressIn(stored: string): string {
  return emailAsStored(stored.split(' ', 1)[0] ?? '');
}
