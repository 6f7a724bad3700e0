/** Ms of a timestamp that its schema has checked. */
export function parseTime(text: string | null | undefined): number | null | undefined {
  return typeof text === 'string' ? Date.parse(text) : text;
}
