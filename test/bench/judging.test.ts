import { describe, expect, test } from '@jest/globals';
import { figureOf, readBudgets } from '../../bench/budgets.ts';
import { readCommand } from '../../bench/options.ts';
import { modeOf } from '../../bench/results.ts';
import { chosen, suite } from '../../bench/suite.ts';

const budgets = { '1': { 'CPU to floor': { most: 1.35 }, 'sends per core': { least: 5 } } };
const at = (median: number) => ({ median, min: median, max: median });
const full = { smoke: false, isValid: true };
const smoke = { smoke: true, isValid: true };

describe('budgets', () => {
  test('a figure fails its budget above its maximum or below its minimum', () => {
    expect(figureOf(budgets, '1', 'CPU to floor', at(1.35), full).verdict).toBe('ok');
    expect(figureOf(budgets, '1', 'CPU to floor', at(1.36), full).verdict).toBe('beyond');
    expect(figureOf(budgets, '1', 'sends per core', at(4.9), full).verdict).toBe('beyond');
  });

  test('the smoke run has limits that are wider by a half, in both directions', () => {
    expect(figureOf(budgets, '1', 'CPU to floor', at(2), smoke).verdict).toBe('ok');
    expect(figureOf(budgets, '1', 'CPU to floor', at(2.1), smoke).verdict).toBe('beyond');
    expect(figureOf(budgets, '1', 'sends per core', at(3.4), smoke).verdict).toBe('ok');
    expect(figureOf(budgets, '1', 'sends per core', at(3.3), smoke).verdict).toBe('beyond');
  });

  test('a figure that is judged a second time under another name has that name', () => {
    const figure = figureOf(budgets, '1', 'CPU to floor', at(1), full);
    expect(figureOf(budgets, '13', 'send: CPU to floor', figure, full).name).toBe('send: CPU to floor');
  });

  test('a figure without a valid round neither passes nor fails', () => {
    const how = { smoke: false, isValid: false };
    expect(figureOf(budgets, '1', 'CPU to floor', at(9), how).verdict).toBe('invalid');
  });

  test('while a target is missed, the smoke run guards the present value, and a full run still judges by the target', () => {
    const missed = { '3': { 'CPU to floor': { most: 1.3, today: 2 }, 'per core': { least: 2, today: 0.9 } } };
    expect(figureOf(missed, '3', 'CPU to floor', at(2.9), smoke).verdict).toBe('ok');
    expect(figureOf(missed, '3', 'CPU to floor', at(3.1), smoke).verdict).toBe('beyond');
    expect(figureOf(missed, '3', 'CPU to floor', at(1.4), full)).toMatchObject({
      budget: { most: 1.3 },
      verdict: 'beyond',
    });
    expect(figureOf(missed, '3', 'per core', at(0.61), smoke).verdict).toBe('ok');
  });

  test('a bench without any success on a quiet machine fails: a dead service is not noise', () => {
    expect(figureOf(budgets, '1', 'CPU to floor', at(NaN), full).verdict).toBe('beyond');
    expect(figureOf(budgets, '1', 'CPU to floor', at(Infinity), smoke).verdict).toBe('beyond');
  });

  test('the budgets of the file are the targets of performance.md §3', () => {
    expect(readBudgets()).toMatchObject({
      '1': { 'CPU to floor': { most: 1.25 }, 'sends per core to naive': { least: 3.3 } },
      '1b': { 'p50 over floor, ms': { most: 1 }, 'p99 over floor, ms': { most: 8 } },
      '3': { 'CPU to floor': { most: 1.3 }, 'ingests per core to stock Express': { least: 2 } },
      '4': { 'CPU to floor': { most: 1.2 }, 'events per core to naive': { least: 3.4 } },
      '9': { 'service, new data directory, ms': { most: 600 }, 'start to bare http': { most: 6 } },
    });
  });

  test('every budget has a limit of its own bench', () => {
    const all = Object.entries(readBudgets()).flatMap(([bench, figures]) =>
      Object.entries(figures).map(([name, target]) => ({ bench, name, target })),
    );
    expect(all.filter(({ target }) => !('most' in target) && !('least' in target))).toEqual([]);
  });

  test('every budget belongs to an existing bench', () => {
    const ids = new Set(suite.map(({ id }) => id));
    const strangers = Object.keys(readBudgets()).filter((id) => !ids.has(id.split(' ')[0] ?? ''));
    expect(strangers).toEqual([]);
  });
});

describe('commands', () => {
  const options = (...args: string[]) => {
    const command = readCommand(args);
    return 'options' in command ? command.options : null;
  };

  test('five interleaved rounds by default', () => {
    expect(options()).toMatchObject({ rounds: 5, smoke: false, only: null });
  });

  test('benches are chosen by name or number', () => {
    expect(options('send', '4', '--rounds', '7')?.only).toEqual(new Set(['send', '4']));
    expect(chosen(new Set(['send', '4']), false).map(({ id }) => id)).toEqual(['1', '4']);
    expect(() => chosen(new Set(['sned']), false)).toThrow('there is no bench sned; there are send (1)');
  });

  test('--compare names a commit, --table nothing', () => {
    expect(readCommand(['--compare', 'main~3'])).toMatchObject({ command: 'compare', ref: 'main~3' });
    expect(readCommand(['--table'])).toEqual({ command: 'table' });
    expect(readCommand(['--help'])).toEqual({ command: 'help' });
  });

  test('a run with the profiler is no full one, whose figures the table takes', () => {
    const [plain, profiled] = [options(), options('send', '--profile')];
    expect(plain === null ? null : modeOf(plain, null)).toBe('full');
    expect(plain === null ? null : modeOf(plain, 'main~3')).toBe('compare');
    expect(profiled === null ? null : modeOf(profiled, null)).toBe('profile');
  });

  test('every load is bounded, also if it is given by hand', () => {
    expect(() => options('--seconds', '86400')).toThrow('--seconds is 1 to 60');
    expect(() => options('--soak-seconds', '86400')).toThrow('--soak-seconds is 1 to 3600');
    expect(() => options('--rounds', 'many')).toThrow('--rounds is 1 to 50');
    for (const rate of ['0', '2', '20%'])
      expect(() => options('--rate', rate)).toThrow('--rate is above 0 and 1 at most');
    expect(options('--rate', '0.2')?.rate).toBe(0.2);
    expect(options('--seconds', '2')).toMatchObject({ seconds: 2, busySeconds: 60, soakSeconds: 420 });
    expect(options('--busy-seconds', '10', '--soak-seconds', '60')).toMatchObject({
      busySeconds: 10,
      soakSeconds: 60,
    });
  });
});
