/** The digits of a text, such as a number as people write it: `+1 555-010-0042`. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/** The digits of a text that may be a number; empty: it is none, or has fewer than `fewest` digits. */
export function numberIn(text: string, fewest: number): string {
  const digits = /^[+\d\s().\-/]+$/.test(text) ? digitsOf(text) : '';
  return digits.length < fewest ? '' : digits;
}
