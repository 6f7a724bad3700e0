/** Memory of the idle built service, 5 s after it is ready. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { figureOf } from '../budgets.ts';
import { rssMbOf } from '../measure/proc.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { startService } from '../world.ts';
import type { Bench } from './bench.ts';

const settleMs = 5_000;

export async function benchMemory({ world, options, budgets }: Bench): Promise<BenchResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-memory-'));
  const urls = { upstreamUrl: world.stub.url, dialogUrl: world.stub.url };
  const idle = await startService(world.programs, dataDir, { ...urls, flags: [] });
  await wait(settleMs);
  const idleMb = rssMbOf(idle.pid);
  await idle.stop();
  await rm(dataDir, { recursive: true, force: true });
  const how = { smoke: false, isValid: true }; // bytes do not spread with the length of a run
  return {
    id: 'memory',
    title: 'resident memory',
    unit: 'process',
    rows: [],
    figures: [
      figureOf(budgets, 'memory', 'idle RSS, MB', spreadOf([idleMb]), how),
      figureOf(
        budgets,
        'memory',
        'RSS after the loads of this run, MB',
        spreadOf([rssMbOf(world.service.pid)]),
        how,
      ),
      figureOf(budgets, 'memory', 'bare http RSS, MB', spreadOf([rssMbOf(world.echo.pid)]), how),
    ],
    rounds: 1,
    invalidRounds: 0,
    notes: [
      `of a second service, ready and idle for ${settleMs / 1_000} s${options.smoke ? '; not loosened' : ''}`,
    ],
  };
}
