/** Results of a run: printed by `report.ts`, drawn by `page.ts`, read again by `table.ts`. */
import type { Spread } from './measure/stats.ts';

export type Budget = { most: number } | { least: number };

/**
 * `today`: the limit while the target is missed. A full run judges by the target; the smoke judges by `today`, so that CI tells a
 * regression from a target that was never met. Remove `today` when the target is met.
 */
export type Target = Budget & { today?: number };

/** `invalid`: measured while other processes took the CPU, so it proves nothing. */
export type Verdict = 'ok' | 'beyond' | 'invalid' | 'no budget';

export interface Figure extends Spread {
  name: string;
  budget: Budget | null;
  verdict: Verdict;
}

export interface Row {
  server: string;
  cpuUs: Spread | null;
  /** CPU per unit of its servers (Redis, MongoDB), never part of `cpuUs`. */
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
  mode: 'full' | 'smoke' | 'compare' | 'profile';
  node: string;
  cpu: string;
  cores: number;
  /** Duration of the whole run in seconds. */
  seconds: number;
  benches: BenchResult[];
  /** Chosen benches that could not run here, and why; `isBroken`: the bench started and failed. */
  skipped: { id: string; why: string; isBroken?: boolean }[];
}
