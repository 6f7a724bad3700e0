/** Bench 14: how long the longest turn of the event loop is under each attack of test/hostile. [faults: I9] */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { attacks } from '../load/attacks.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { cloneChannels, connect, phones } from '../world/channels.ts';
import { startService } from '../world/testbed.ts';
import { longestTurnMs, turnsHook } from '../world/turns.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';

const channels = 10_000;
/** Time for work that an attack has started: deliveries, channels that become live. */
const settleMs = 3_000;
const times = 3;

export async function benchAttacks(bench: Bench): Promise<BenchResult> {
  const { testbed, tell } = bench;
  const dataDir = join(testbed.folder, 'attacks');
  const first = await startService(testbed, { dataDir });
  const webhook = { url: testbed.receiver.url, events: ['message.received'] };
  const channel = await connect(testbed, first, phones.sender, webhook);
  await first.stop();
  const clones = await cloneChannels(dataDir, channel, channels);
  const turns = turnsHook(join(testbed.folder, 'turns'));
  const program = await startService(testbed, { dataDir, env: turns.env, flags: turns.flags });
  const victim = { url: program.url, channel, phones: clones.map(({ phone }) => phone) };
  const values: Record<string, Spread> = {};
  for (const { name, run } of attacks) {
    const taken: number[] = [];
    for (let time = 0; time < times; time += 1) {
      await longestTurnMs(program, turns); // resets the measurement
      await run(victim);
      await wait(settleMs);
      taken.push(await longestTurnMs(program, turns));
    }
    values[name] = spreadOf(taken);
    tell(`  ${name}: ${taken.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  }
  await program.stop();
  const about = {
    id: '14',
    title: 'the longest turn of the event loop under each attack, ms of CPU',
    unit: 'attack',
    store: 'embedded (SQLite)',
    notes: [`${times} times each: the first time much of the code is not compiled yet`],
  };
  return plainResult(bench, about, { rounds: attacks.length, invalidRounds: 0 }, values);
}
