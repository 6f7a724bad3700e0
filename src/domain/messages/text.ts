/**
 * Why a text can't be stored and sent as it is, or null. NUL ends strings in some of the programs it would pass, and half a
 * surrogate pair has no UTF-8 form: both would arrive as something else. Emptiness and length are checked elsewhere.
 * [faults: 71]
 */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'text must not contain NUL characters';
  // With the `u` flag only a surrogate without its other half is a character of category Cs.
  if (/\p{Cs}/u.test(text)) return 'text must be well-formed Unicode: it contains half a surrogate pair';
  return null;
}
