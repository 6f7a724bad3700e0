/** A value that is costly to make and not needed by every process: it is made at the first call. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
