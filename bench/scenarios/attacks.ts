/** Bench 14: how long the longest turn of the event loop is under each attack of test/hostile. [faults: I9] */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { attacks } from '../load/attacks.ts';
import type { Victim } from '../load/attacks.ts';
import { maxOthersCores, watchOthers } from '../measure/proc.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { cloneChannels, connect, phones } from '../world/channels.ts';
import { startService } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';
import { longestTurnMs } from './told.ts';

const channels = 10_000;
/** What an attack has begun goes on: deliveries, channels that wake up. */
const settleMs = 3_000;

export async function benchAttacks(bench: Bench): Promise<BenchResult> {
  const { testbed, tell } = bench;
  const dataDir = join(testbed.folder, 'attacks');
  const first = await startService(testbed, { dataDir });
  const webhook = { url: testbed.receiver.url, events: ['message.received'] };
  const channel = await connect(testbed, first, phones.sender, webhook);
  await first.stop();
  const clones = await cloneChannels(dataDir, channel, channels);
  const program = await startService(testbed, { dataDir, env: { LOG_LEVEL: 'error' } });
  const victim = { url: program.url, channel, phones: clones.map(({ phone }) => phone) };
  const values: Record<string, Spread> = {};
  let invalid = 0;
  for (const { name, run } of attacks) {
    const watch = watchOthers(() => testbed.programs.pids());
    values[name] = spreadOf([await turnsUnder(program, victim, run), await turnsUnder(program, victim, run)]);
    if (watch() > maxOthersCores) invalid += 1;
    tell(`  ${name}: ${values[name].min.toFixed(0)} to ${values[name].max.toFixed(0)} ms`);
  }
  await program.stop();
  const about = {
    id: '14',
    title: 'the longest turn of the event loop under each attack, ms',
    unit: 'attack',
    store: 'embedded (SQLite)',
    notes: ['twice each: the first time much of the code is not compiled yet'],
  };
  return plainResult(bench, about, { rounds: attacks.length, invalidRounds: invalid }, values);
}

async function turnsUnder(
  program: Program,
  victim: Victim,
  run: (victim: Victim) => Promise<unknown>,
): Promise<number> {
  await longestTurnMs(program); // what was before is forgotten
  await run(victim);
  await wait(settleMs);
  return longestTurnMs(program);
}
