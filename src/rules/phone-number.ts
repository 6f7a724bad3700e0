/** The digits of a text, such as a number as people write it: `+1 555-010-0042`. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/**
 * What nobody sees in a number that was copied from a list of contacts: marks of direction, spaces without a width, soft hyphens. Not
 * U+202E, behind which the digits are shown from last to first. [faults: 570]
 */
const unseen = /(?!\u202e)\p{Default_Ignorable_Code_Point}/gu;

export function withoutUnseen(text: string): string {
  return text.replaceAll(unseen, '');
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
  const shown = withoutUnseen(text);
  const digits = /^[+\d\s().\-/]+$/.test(shown) ? digitsOf(shown) : '';
  return digits.length < fewest ? '' : digits;
}
