/** Of an address. [RFC 5321 §4.5.3.1.3] */
export const maxEmail = 254;
/** Of what stands before the @. [RFC 5321 §4.5.3.1.1] */
const maxLocalPart = 64;

/** An address as it is stored and looked for: one account per person, however they spell it. Only a mail can prove more. */
export function emailAsStored(given: string): string {
  return given.trim().toLowerCase();
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
  return stored.split(' ', 1)[0] ?? '';
}
