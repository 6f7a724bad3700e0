/** One exploration: a plan with what its budget leaves out, and what is expected of it. */
import { expect } from '@jest/globals';
import { rules } from '../actors/support/model-settings.ts';
import { ChannelWorld } from './channel-world.ts';
import type { Budget, Plan } from './channel-world.ts';
import { explore } from './explore.ts';
import type { Explored } from './explore.ts';

const maxStates = 2_000_000;

export type Case = Partial<Omit<Plan, 'budget' | 'rules'>> & { budget: Partial<Budget> };

export function explored({ budget, ...plan }: Case): Promise<Explored> {
  const nothing = { storeFaults: 0, outsideFaults: 0, crashes: 0, overtakes: 0, slow: 0 };
  const whole = { events: [], sends: 1, reports: false, rules, ...plan, budget: { ...nothing, ...budget } };
  return explore(() => new ChannelWorld(whole), maxStates);
}

/** Its sizes are printed, so that a run with few states is noticed. */
export async function expectKept(what: Case): Promise<void> {
  const startedAt = performance.now();
  const { found, ...sizes } = await explored(what);
  expect(found).toBeNull();
  expect(sizes.ends).toBeGreaterThan(1);
  const ms = Math.round(performance.now() - startedAt);
  process.stdout.write(`  ${JSON.stringify(what)}: ${JSON.stringify(sizes)}, ${ms} ms\n`);
}
