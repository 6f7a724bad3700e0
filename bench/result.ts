/** What a run leaves behind: read by `compare.ts`, printed by `report.ts`. */
import type { Spread } from './measure/stats.ts';

export type Budget = { most: number } | { least: number };

/** `invalid`: measured while others took the CPU; it says nothing either way. */
export type Verdict = 'ok' | 'beyond' | 'invalid' | 'no budget';

export interface Figure extends Spread {
  name: string;
  budget: Budget | null;
  verdict: Verdict;
}

export interface Row {
  server: string;
  cpuUs: Spread | null;
  /** CPU of its helper per unit, beside and never inside `cpuUs`. */
  besideUs: Spread | null;
  perSecond: Spread | null;
  p50Ms: Spread | null;
  p99Ms: Spread | null;
  failed: number;
}

export interface BenchResult {
  id: string;
  title: string;
  unit: string;
  rows: Row[];
  figures: Figure[];
  rounds: number;
  invalidRounds: number;
  notes: string[];
}

export interface RunResult {
  at: string;
  commit: string;
  mode: 'full' | 'smoke';
  store: string;
  node: string;
  cpu: string;
  cores: number;
  benches: BenchResult[];
}
