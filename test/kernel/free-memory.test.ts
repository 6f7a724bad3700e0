import { describe, expect, test } from '@jest/globals';
import { markAsUntransferable } from 'node:worker_threads';
import { freeMemory } from '../../src/kernel/free-memory.ts';

describe('memory that is no longer read', () => {
  test('is freed at once, its bytes are gone', () => {
    const bytes = Buffer.allocUnsafeSlow(65_536);
    freeMemory(bytes);
    expect(bytes.length).toBe(0);
  });

  test('is left alone while others may read it, and if there is none', () => {
    const whole = Buffer.from('a letter and its envelope');
    freeMemory(whole.subarray(2, 8));
    freeMemory(Buffer.from('of the pool'));
    freeMemory(Buffer.alloc(0));
    expect(whole.toString()).toBe('a letter and its envelope');
  });
});

test('a buffer that may not be transferred is left alone, without a throw', () => {
  const bytes = new Uint8Array(8);
  markAsUntransferable(bytes.buffer);
  freeMemory(bytes);
  expect(bytes.byteLength).toBe(8);
});
