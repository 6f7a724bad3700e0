/** What takes its time or its room to make, and is not needed by every process from its start on: made when it is first asked for. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}
