/** Inputs of every bench, and how rounds become a result. */
import { figureOf } from '../budgets.ts';
import type { Budgets } from '../budgets.ts';
import { counted, interleave, spreadOver } from '../measure/rounds.ts';
import type { Contender, Pick, Round } from '../measure/rounds.ts';
import type { Spread } from '../measure/stats.ts';
import type { Options } from '../options.ts';
import type { BenchResult, Figure, Row } from '../result.ts';
import type { Testbed } from '../world/testbed.ts';
import type { World } from '../world/world.ts';

export interface Bench {
  testbed: Testbed;
  /** Opened on first use, and closed before a bench that does not use it. */
  world: () => Promise<World>;
  options: Options;
  budgets: Budgets;
  tell: (line: string) => void;
  /** The service's sends per second; null until bench 1 has measured it. */
  capacity: { sends: number | null };
}

/** This machine lacks something that the bench needs; the bench is reported as skipped, with this message. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

export type RunBench = (bench: Bench) => Promise<BenchResult>;

export async function measureRounds(bench: Bench, contenders: readonly Contender[]): Promise<Round[]> {
  const { options, testbed, tell } = bench;
  const { rounds, maxRounds } = options;
  return interleave({ rounds, maxRounds, contenders, ourPids: () => testbed.programs.pids(), tell });
}

export function rowsOf(rounds: readonly Round[]): Row[] {
  const names = Object.keys(rounds[0]?.samples ?? {});
  return names.map((server) => {
    const over = (pick: Pick): Spread | null => spreadOver(rounds, server, pick);
    const samples = counted(rounds).flatMap(({ samples: all }) => all[server] ?? []);
    const isAlone = samples.every(({ besideUs }) => besideUs === null);
    return {
      server,
      cpuUs: over((sample) => sample.cpuUs),
      besideUs: isAlone ? null : over((sample) => sample.besideUs ?? 0),
      perSecond: over((sample) => sample.perSecond),
      p50Ms: over((sample) => sample.p50Ms),
      p99Ms: over((sample) => sample.p99Ms),
      failed: samples.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}

type About = Part<BenchResult, 'id' | 'title' | 'unit' | 'notes'>;
type Part<T, K extends keyof T> = { [P in K]: T[P] };

/** Result of a measurement in rounds. A figure that is null could not be measured here and is left out. */
export function resultOf(
  bench: Bench,
  about: About & { store: string },
  rounds: readonly Round[],
  values: Readonly<Record<string, Spread | null>>,
): BenchResult {
  const invalidRounds = rounds.filter(({ isValid }) => !isValid).length;
  const how = { rounds: rounds.length, invalidRounds };
  return { ...plainResult(bench, about, how, values), rows: rowsOf(rounds) };
}

/** Result of other measurements: starts, bytes, an account. */
export function plainResult(
  { budgets, options }: Bench,
  about: About & { store: string },
  { rounds, invalidRounds }: { rounds: number; invalidRounds: number },
  values: Readonly<Record<string, Spread | null>>,
): BenchResult {
  const how = { smoke: options.smoke, isValid: invalidRounds < rounds };
  const figures = Object.entries(values).flatMap<Figure>(([name, spread]) =>
    spread === null ? [] : [figureOf(budgets, about.id, name, spread, how)],
  );
  return { ...about, rows: [], figures, rounds, invalidRounds };
}
