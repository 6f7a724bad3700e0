/** What every bench gets, and how rounds become a result. */
import { figureOf } from '../budgets.ts';
import type { Budgets } from '../budgets.ts';
import { counted, interleave } from '../measure/rounds.ts';
import type { Contender, Round, Sample } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { Options } from '../options.ts';
import type { BenchResult, Figure, Row } from '../result.ts';
import type { World } from '../world.ts';

export interface Bench {
  world: World;
  options: Options;
  budgets: Budgets;
  tell: (line: string) => void;
  /** Sends per second of the service, once bench 1 has measured it. */
  capacity: { sends: number | null };
}

export type RunBench = (bench: Bench) => Promise<BenchResult>;

export async function measureRounds(bench: Bench, contenders: readonly Contender[]): Promise<Round[]> {
  const { options, world, tell } = bench;
  const { rounds, maxRounds } = options;
  return interleave({ rounds, maxRounds, contenders, ourPids: () => world.programs.pids(), tell });
}

export function rowsOf(rounds: readonly Round[]): Row[] {
  const names = Object.keys(rounds[0]?.samples ?? {});
  return names.map((server) => {
    const samples = counted(rounds).flatMap(({ samples: all }) => all[server] ?? []);
    const over = (pick: (sample: Sample) => number): Spread => spreadOf(samples.map(pick));
    return {
      server,
      cpuUs: over((sample) => sample.cpuUs),
      besideUs: samples.some(({ besideUs }) => besideUs !== null)
        ? over((sample) => sample.besideUs ?? 0)
        : null,
      perSecond: over((sample) => sample.perSecond),
      p50Ms: over((sample) => sample.p50Ms),
      p99Ms: over((sample) => sample.p99Ms),
      failed: samples.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}

export function resultOf(
  bench: Bench,
  about: Pick<BenchResult, 'id' | 'title' | 'unit' | 'notes'>,
  rounds: readonly Round[],
  rows: Row[],
  values: Readonly<Record<string, Spread | null>>,
): BenchResult {
  const { budgets, options } = bench;
  const invalidRounds = rounds.filter(({ isValid }) => !isValid).length;
  const how = { smoke: options.smoke, isValid: rounds.some(({ isValid }) => isValid) };
  const figures = Object.entries(values).flatMap<Figure>(([name, spread]) =>
    spread === null ? [] : [figureOf(budgets, about.id, name, spread, how)],
  );
  return { ...about, rows, figures, rounds: rounds.length, invalidRounds };
}
