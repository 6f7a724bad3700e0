import { afterEach } from '@jest/globals';

/** Takes what a test has opened: it is closed after the test, the last first, be it passed or failed. */
export function closedAfterEach(): (close: () => unknown) => void {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
  return (close) => void closers.push(close);
}
