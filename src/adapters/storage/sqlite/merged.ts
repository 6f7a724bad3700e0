/** Merges a patch into a copy; undefined leaves a property unchanged. */
export function merged<T extends object>(now: T, patch: Partial<T>): T {
  const next = { ...now };
  for (const key in patch) {
    const value = patch[key];
    if (value !== undefined) next[key] = value;
  }
  return next;
}
