/** A number from 0 to 2^32 - 1 that is the same for the same text: to tell things apart, not to prove anything. */
export function shortHash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}
