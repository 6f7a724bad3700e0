import { afterEach } from '@jest/globals';

/**
 * Returns a function to which a test gives the close function of each thing that it opens. They are called after the test,
 * whether it passed or failed, the last opened first.
 */
export function closeAfterEach(): (close: () => unknown) => void {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
  return (close) => void closers.push(close);
}
