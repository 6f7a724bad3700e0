import { describe, expect, test } from '@jest/globals';
import { watchOthers } from '../../bench/measure/others.ts';
import {
  cpuMsIn,
  cpuMsOfFamilies,
  endedChildrenMsIn,
  machineCpuMsIn,
  mainThreadMsOf,
  processIn,
} from '../../bench/measure/proc.ts';
import {
  counted,
  cpuOf,
  cpuWithHelpers,
  differenceOf,
  quietestRatioOf,
  ratioOf,
  turned,
} from '../../bench/measure/rounds.ts';
import type { Round } from '../../bench/measure/rounds.ts';
import { latencyOf, quantile, spreadOf } from '../../bench/measure/stats.ts';

describe("CPU time is Linux's count for a process and for the machine", () => {
  test('user and system ticks of all threads, whatever the process name contains', () => {
    const stat = '4242 (node (a) b) S 1 4242 4242 0 -1 4194560 9 0 0 0 150 25 7 3 20 0 11 0 100 1 1';
    expect(cpuMsIn(stat)).toBe(1_750);
  });

  test('the CPU time of one of our processes is still ours when it has ended', () => {
    const stat = '4242 (node (a) b) S 1 4242 4242 0 -1 4194560 9 0 0 0 150 25 7 3 20 0 11 0 100 1 1';
    expect(endedChildrenMsIn(stat)).toBe(100);
  });

  test("the machine's CPU time is everything except idling and waiting for disks; stolen time counts", () => {
    expect(machineCpuMsIn('cpu  100 1 20 5000 300 0 4 2 0 0\ncpu0 1 1 1 1\n')).toBe(1_270);
  });

  test('the CPU time of the main thread is part of that of the process', () => {
    const before = mainThreadMsOf(process.pid);
    const from = process.cpuUsage();
    while (process.cpuUsage(from).user < 100_000) Math.sqrt(before);
    const { user, system } = process.cpuUsage();
    expect(mainThreadMsOf(process.pid)).toBeGreaterThan(before);
    expect(mainThreadMsOf(process.pid)).toBeLessThan((user + system) / 1_000 + 100);
    expect(mainThreadMsOf(-1)).toBe(0);
  });

  test('CPU time of our processes is not that of others', () => {
    const withUs = watchOthers(() => [process.pid]);
    const withoutUs = watchOthers(() => []);
    const startedAt = performance.now();
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 300_000) Math.sqrt(startedAt);
    const passed = performance.now() - startedAt;
    expect((withoutUs().cores - withUs().cores) * passed).toBeGreaterThan(200);
  });

  test('other processes with CPU time are named', () => {
    const watch = watchOthers(() => []);
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 300_000) Math.sqrt(before.user);
    expect(watch().busiest).toMatch(/^[^,]+ \(\d+\) \d\.\d\d/);
  });

  test('a server has the CPU time of the processes that it has started, also of those that have ended', () => {
    const of = (parent: number, ms: number, endedMs: number) => ({
      name: 'postgres',
      parent,
      ms,
      endedMs,
      isKernel: false,
    });
    const all = new Map([
      [10, of(1, 5, 300)],
      [11, of(10, 70, 0)],
      [12, of(1, 1_000, 0)],
    ]);
    expect(cpuMsOfFamilies([10], all)).toBe(375);
  });

  test('a thread of the kernel is not one of the others', () => {
    const of = (parent: number): string =>
      `77 (kworker (x) 0:1) I ${parent} 0 0 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0`;
    expect(processIn(77, of(2))).toEqual({
      name: 'kworker (x) 0:1',
      ms: 100,
      endedMs: 0,
      parent: 2,
      isKernel: true,
    });
    expect(processIn(77, of(4))).toMatchObject({ isKernel: false });
  });
});

describe('several rounds become one figure', () => {
  test('median and extremes; for an even number of rounds the mean of the two middle ones', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
    expect(spreadOf([4, 1, 2, 3]).median).toBe(2.5);
  });

  test('a quantile is the nearest rank of the values, never between two', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(latencyOf([5, 1, 3])).toEqual({ count: 3, p50Ms: 3, p99Ms: 5, maxMs: 5 });
  });

  const round = (service: number, floor: number, isValid = true, besideUs: number | null = null): Round => {
    const sample = { units: 1, failed: 0, perSecond: 1, p50Ms: 1, p99Ms: 1, mainUs: 0, besideUs: null };
    return {
      samples: { service: { ...sample, cpuUs: service }, floor: { ...sample, cpuUs: floor, besideUs } },
      others: { cores: isValid ? 0 : 1, busiest: '' },
      isValid,
    };
  };

  test('a ratio is computed within each round, because a slow machine slows both', () => {
    const rounds = [round(130, 100), round(260, 200), round(140, 100)];
    expect(ratioOf(rounds, 'service', 'floor', cpuOf)).toEqual({ median: 1.3, min: 1.3, max: 1.4 });
    expect(differenceOf(rounds, 'service', 'floor', cpuOf)).toEqual({ median: 40, min: 30, max: 60 });
    expect(ratioOf(rounds, 'service', 'nobody', cpuOf)).toBeNull();
  });

  test('rounds in which other processes used the CPU are excluded', () => {
    const rounds = [round(130, 100), round(900, 100, false)];
    expect(counted(rounds)).toEqual([rounds[0]]);
    expect(ratioOf(rounds, 'service', 'floor', cpuOf)?.max).toBe(1.3);
  });

  test('the quietest tenth of all rounds is compared, because others can only add', () => {
    const quiet = Array.from({ length: 8 }, () => round(110, 200));
    const rounds = [...quiet, round(104, 300), round(900, 100, false)];
    expect(quietestRatioOf(rounds, 'service', 'floor', cpuOf)?.median).toBe(1.04);
    expect(quietestRatioOf(rounds, 'service', 'nobody', cpuOf)).toBeNull();
  });

  test('what a baseline needs to work counts as its own', () => {
    const rounds = [round(100, 300, true, 100)];
    expect(ratioOf(rounds, 'floor', 'service', cpuWithHelpers, cpuOf)?.median).toBe(4);
  });

  test('each round starts with another contender', () => {
    expect([0, 1, 2, 3].map((number) => turned(['echo', 'floor', 'service'], number)[0])).toEqual([
      'echo',
      'floor',
      'service',
      'echo',
    ]);
  });
});
