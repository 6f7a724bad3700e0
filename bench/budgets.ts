import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Spread } from './measure/stats.ts';
import type { Budget, Figure, Target, Verdict } from './result.ts';

export type Budgets = Readonly<Record<string, Readonly<Record<string, Target>>>>;

/** Short runs vary more, so the smoke run's limits are 1.5 times as wide. [performance §3] */
const smokeSlack = 1.5;

export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'));
}

/** Compares the median with the budget. `isValid`: at least one round was valid. */
export function figureOf(
  budgets: Budgets,
  bench: string,
  name: string,
  { median, min, max }: Spread,
  how: { smoke: boolean; isValid: boolean },
): Figure {
  const target = budgets[bench]?.[name] ?? null;
  const budget = target === null ? null : how.smoke ? loosened(target) : strict(target);
  return { name, median, min, max, budget, verdict: verdictOf(median, budget, how.isValid) };
}

function strict(target: Target): Budget {
  return 'most' in target ? { most: target.most } : { least: target.least };
}

function loosened(target: Target): Budget {
  return 'most' in target
    ? { most: Math.max(target.most, target.today ?? target.most) * smokeSlack }
    : { least: Math.min(target.least, target.today ?? target.least) / smokeSlack };
}

function verdictOf(value: number, budget: Budget | null, isValid: boolean): Verdict {
  if (budget === null) return 'no budget';
  if (!isValid) return 'invalid';
  // NaN in an undisturbed run: nothing was carried, which must not pass.
  if (Number.isNaN(value)) return 'beyond';
  const isWithin = 'most' in budget ? value <= budget.most : value >= budget.least;
  return isWithin ? 'ok' : 'beyond';
}
