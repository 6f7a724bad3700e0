/** Yields to the event loop between slices of long work. [faults: I9] */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
