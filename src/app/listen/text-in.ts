/** A text member of something from outside; null: there is none. */
export function textIn(given: unknown, member: string): string | null {
  if (typeof given !== 'object' || given === null) return null;
  const value: unknown = Reflect.get(given, member);
  return typeof value === 'string' ? value : null;
}
