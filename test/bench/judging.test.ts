import { describe, expect, test } from '@jest/globals';
import { figureOf, readBudgets } from '../../bench/budgets.ts';
import { changeOf, compare } from '../../bench/compare.ts';
import { readOptions } from '../../bench/options.ts';
import type { RunResult } from '../../bench/result.ts';

const budgets = { '1': { 'CPU to floor': { most: 1.35 }, 'sends per core': { least: 5 } } };
const at = (median: number) => ({ median, min: median, max: median });
const full = { smoke: false, isValid: true };
const smoke = { smoke: true, isValid: true };

describe('budgets', () => {
  test('a figure is beyond its budget above what it may cost at most, or below what it must give at least', () => {
    expect(figureOf(budgets, '1', 'CPU to floor', at(1.35), full).verdict).toBe('ok');
    expect(figureOf(budgets, '1', 'CPU to floor', at(1.36), full).verdict).toBe('beyond');
    expect(figureOf(budgets, '1', 'sends per core', at(4.9), full).verdict).toBe('beyond');
  });

  test('the smoke has gates half as wide again, in both directions', () => {
    expect(figureOf(budgets, '1', 'CPU to floor', at(2), smoke).verdict).toBe('ok');
    expect(figureOf(budgets, '1', 'CPU to floor', at(2.1), smoke).verdict).toBe('beyond');
    expect(figureOf(budgets, '1', 'sends per core', at(3.4), smoke).verdict).toBe('ok');
    expect(figureOf(budgets, '1', 'sends per core', at(3.3), smoke).verdict).toBe('beyond');
  });

  test('a figure without a valid round is neither ok nor beyond', () => {
    const how = { smoke: false, isValid: false };
    expect(figureOf(budgets, '1', 'CPU to floor', at(9), how).verdict).toBe('invalid');
  });

  test('the budgets of the file are the targets of performance.md §3', () => {
    expect(readBudgets()).toMatchObject({
      '1': { 'CPU to floor': { most: 1.35 }, 'sends per core to naive': { least: 5 } },
      '1b': { 'p50 added, ms': { most: 1.5 }, 'p99 added, ms': { most: 8 } },
      '3': { 'CPU to floor': { most: 1.5 }, 'ingests per core to stock Express': { least: 2 } },
      '4': { 'CPU to floor': { most: 1.4 }, 'events per core to naive': { least: 4 } },
      '9': { 'start to bare http': { most: 4 } },
      memory: { 'idle RSS, MB': { most: 120 } },
    });
  });
});

describe('two results', () => {
  const run = (store: string, median: number): RunResult => ({
    at: '2026-01-01T00:00:00.000Z',
    commit: store,
    mode: 'full',
    store,
    node: '20.0.0',
    cpu: 'x',
    cores: 2,
    benches: [
      {
        id: '1',
        title: '',
        unit: 'send',
        rows: [],
        figures: [figureOf(budgets, '1', 'CPU to floor', at(median), full)],
        rounds: 1,
        invalidRounds: 0,
        notes: [],
      },
    ],
  });

  test('a change is told in per cent, and as beyond noise only when the ranges do not touch', () => {
    expect(changeOf({ median: 100, min: 90, max: 110 }, { median: 120, min: 111, max: 130 })).toEqual([
      '100',
      '120',
      '+20.0 %',
      'yes',
    ]);
    expect(changeOf({ median: 2, min: 1, max: 3 }, { median: 1.5, min: 1, max: 2 })).toEqual([
      '2.00',
      '1.50',
      '-25.0 %',
      '',
    ]);
  });

  test('a ratio compares runs on the same store only', () => {
    expect(compare(run('embedded', 1.2), run('MongoDB', 1.2))).toContain(
      'not comparable: store embedded → MongoDB',
    );
    expect(compare(run('embedded', 1.2), run('embedded', 1.5))).not.toContain('not comparable');
  });
});

describe('options', () => {
  test('five interleaved rounds unless somebody says otherwise', () => {
    expect(readOptions([])).toMatchObject({ rounds: 5, smoke: false, only: null });
    expect(readOptions(['--only', '1, 4', '--rounds', '7']).only).toEqual(new Set(['1', '4']));
  });

  test('every load is bounded, also by hand', () => {
    expect(() => readOptions(['--seconds', '3600'])).toThrow('--seconds is 1 to 60');
    expect(() => readOptions(['--rounds', 'many'])).toThrow('--rounds is 1 to 50');
  });
});
