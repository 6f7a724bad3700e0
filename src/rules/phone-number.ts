/** The digits of a text, such as a number as people write it: `+1 555-010-0042`. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/** The country's first digits, and the subscriber's. */
const [country, subscriber] = [2, 8];

/**
 * What the forms of one number have in common. Upstream's webhooks leave out the ninth digit of a Brazilian number or add the 9 of an
 * Argentinian one, where its Graph API does not: digits between country and subscriber count for nothing. [upstream §4.6]
 */
export function commonForm(digits: string): string {
  return digits.length > country + subscriber
    ? `${digits.slice(0, country)}…${digits.slice(-subscriber)}`
    : digits;
}

/** The digits of a text that may be a number; empty: it is none, or has fewer than `fewest` digits. */
export function numberIn(text: string, fewest: number): string {
  const digits = /^[+\d\s().\-/]+$/.test(text) ? digitsOf(text) : '';
  return digits.length < fewest ? '' : digits;
}
