/** What a run leaves behind: printed by `report.ts`, drawn by `page.ts`, read again by `table.ts`. */
import type { Spread } from './measure/stats.ts';

export type Budget = { most: number } | { least: number };

/**
 * `today`: what stands while the target is missed. A full run judges by the target; the smoke guards what there is, so that CI
 * tells a loss from a target that was never met. It goes when the target is met.
 */
export type Target = Budget & { today?: number };

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
  /** CPU of its servers per unit (Redis, MongoDB), beside and never inside `cpuUs`. */
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
  store: string;
  rows: Row[];
  figures: Figure[];
  rounds: number;
  invalidRounds: number;
  notes: string[];
}

export interface RunResult {
  at: string;
  commit: string;
  mode: 'full' | 'smoke' | 'compare';
  node: string;
  cpu: string;
  cores: number;
  /** Seconds that all of it took. */
  seconds: number;
  benches: BenchResult[];
  /** Benches that were asked for and could not run here, and why; `isBroken`: it began and failed. */
  skipped: { id: string; why: string; isBroken?: boolean }[];
}
