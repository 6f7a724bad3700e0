/** [spec: HTTP status codes, 503] When a node counts as busy. */
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { meanDelayMs } from '../../src/http/middleware/load-shed.ts';
import { turnsInProcessOf } from '../support/loop-turns.ts';

test.each([
  ['an idle window', { count: 25, meanMs: 20.1, maxMs: 22 }, 5, 0],
  ['a busy one', { count: 3, meanMs: 500, maxMs: 700 }, 1_490, 480],
  ['one that the process has worked through', { count: 1, meanMs: 3_000, maxMs: 3_000 }, 2_900, 2_980],
  ['one in which it was stopped', { count: 1, meanMs: 7_000, maxMs: 7_000 }, 30, 0],
  ['one in which it was stopped, and busy before', { count: 3, meanMs: 2_700, maxMs: 7_000 }, 600, 530],
])('%s', (_, delays, cpuMs, expected) => {
  expect(Math.round(meanDelayMs(delays, cpuMs))).toBe(expected);
});

test('a gauge that is not read stops measuring, and measures again once it is read', async () => {
  const [first, unread, again] = await turnsInProcessOf(join(import.meta.dirname, 'gauge-at-rest.ts'));
  // The gauge alone turns the loop 25 times, a process at rest once or twice: four times as slow a machine tells them apart too.
  expect(first).toBeGreaterThan(6);
  expect(unread).toBeLessThan(6);
  expect(again).toBeGreaterThan(6);
});
