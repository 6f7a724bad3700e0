import { expect, test } from '@jest/globals';
import { keepTickShape } from '../../src/kernel/tick-shape.ts';

test('one object of a tick is kept, with the members whose names Node computes', () => {
  const kept = keepTickShape();
  expect(Object.keys(kept ?? {})).toEqual(['callback', 'args']);
  // Others may follow: Jest's own context adds one.
  expect(
    Object.getOwnPropertySymbols(kept ?? {})
      .map(String)
      .slice(0, 2),
  ).toEqual(['Symbol(async_id_symbol)', 'Symbol(trigger_async_id_symbol)']);
  expect(keepTickShape()).toBe(kept);
});
