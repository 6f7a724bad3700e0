/** Longest event-loop turn of a service, by the CPU time of its main thread; `baseline/turns-hook.ts` is loaded into the service for it. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../test/support/until.ts';
import { root } from './programs.ts';
import type { Program } from './programs.ts';

export interface TurnsHook {
  file: string;
  env: Record<string, string>;
  flags: readonly string[];
}

export function turnsHook(file: string): TurnsHook {
  const hook = join(root, 'dist/bench/baseline/turns-hook.js');
  return { file, env: { LOG_LEVEL: 'error', TURNS_FILE: file }, flags: ['--import', hook] };
}

/** The longest turn since the previous call, in ms. */
export async function longestTurnMs({ pid }: Program, { file }: TurnsHook): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  return until('the turns to be told', async () => Number(await readFile(file, 'utf8')) || null);
}
