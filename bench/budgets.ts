import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Spread } from './measure/stats.ts';
import type { Budget, Figure, Verdict } from './result.ts';

export type Budgets = Readonly<Record<string, Readonly<Record<string, Budget>>>>;

/** Short runs spread more: their gates are half as wide again. [performance §3] */
const smokeSlack = 1.5;

export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'));
}

/** Judges medians. `isValid`: at least one round was. */
export function figureOf(
  budgets: Budgets,
  bench: string,
  name: string,
  spread: Spread,
  how: { smoke: boolean; isValid: boolean },
): Figure {
  const strict = budgets[bench]?.[name] ?? null;
  const budget = strict === null || !how.smoke ? strict : loosened(strict);
  return { name, ...spread, budget, verdict: verdictOf(spread.median, budget, how.isValid) };
}

function loosened(budget: Budget): Budget {
  return 'most' in budget ? { most: budget.most * smokeSlack } : { least: budget.least / smokeSlack };
}

function verdictOf(value: number, budget: Budget | null, isValid: boolean): Verdict {
  if (budget === null) return 'no budget';
  if (!isValid || Number.isNaN(value)) return 'invalid';
  const isWithin = 'most' in budget ? value <= budget.most : value >= budget.least;
  return isWithin ? 'ok' : 'beyond';
}
