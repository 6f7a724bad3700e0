/** The common parts of the storms: duration, steps, and the comparison after everything has healed. */
import { expect } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../actors/support/random.ts';
import { call } from '../support/api.ts';
import { connectAll } from '../support/sends.ts';
import type { Channel, World } from '../support/world.ts';
import { resendAfterMs, stormSettings } from '../cluster-service/support/storm.ts';
import type { Storm, Stormed } from '../cluster-service/support/storm.ts';
import type { Fault, Struck } from './faults.ts';

const minutes = Number(process.env['STORM_MINUTES'] ?? 0.25);
export const seed = Number(process.env['STORM_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const skipped = new Set((process.env['STORM_SKIP'] ?? '').split(',').filter(Boolean).map(Number));
/** The maximal number of steps. */
const mostSteps = Number(process.env['STORM_STEPS'] ?? Infinity);

/** Timeout of a test with a storm. */
export const timeoutMs = minutes * 60_000 + 420_000;

/** Settings of the service. */
export const env = {
  ...stormSettings,
  // Longer than a storm: every queued send must arrive.
  SEND_GIVE_UP_AFTER_MS: '1800000',
  WEBHOOK_RETRY_DELAYS_MS: '500,500,1000,1000,2000,2000,2000',
};

/** One channel of each type; that of pages is ordered. */
export async function stormedChannels(world: World): Promise<Channel[]> {
  const { channels } = await connectAll(world);
  const { id, key } = channels.pagechat;
  const { status } = await world.service.call('PATCH', `/api/v1/channels/${id}`, {
    key,
    body: { ordered: true },
  });
  expect(status).toBe(200);
  return Object.values(channels);
}

/** The same steps for a seed; each has its number, so that it can be left out. */
export async function rage<S extends Struck>(faults: readonly Fault<S>[], struck: S): Promise<string[]> {
  const until = performance.now() + minutes * 60_000;
  const done: string[] = [];
  for (let step = 1; step <= mostSteps && performance.now() < until; step += 1) {
    const fault = struck.random.pick(faults);
    // A random generator of its own, so that a step that is left out changes no other.
    const random = new Random(seed * 1_000 + step);
    await wait(random.between(100, 1_500));
    if (skipped.has(step)) continue;
    done.push(`${step}: ${fault.name}`);
    await fault.strike({ ...struck, random });
  }
  return done;
}

/** Prints the seed and the steps: with them a failure can be repeated, and shortened. */
export async function expectKept(
  stormed: Stormed,
  storm: Storm,
  run: () => Promise<string[]>,
  heal: () => Promise<void>,
): Promise<void> {
  let steps: string[] = [];
  try {
    await storm.flows(3, 60_000);
    steps = await run();
  } finally {
    await storm.stop();
  }
  await heal();
  await call('DELETE', `${stormed.world.simulator.url}/control/faults`);
  stormed.world.inbox.answerAlways(200);
  await storm.settled(300_000);
  const toldAnew = await tryAgainWhatIsAside(stormed.world);
  await storm.settled(60_000);
  process.stderr.write(
    `storm, seed ${seed}, up to step ${Number.parseInt(steps.at(-1) ?? '0', 10)}: ${storm.counts()}; ${storm.written.length} written; longest gap ${storm.longestGap()} ms\n`,
  );
  const found = (await storm.findings(resendAfterMs, toldAnew)).filter(
    (each) => !each.includes('quarantine.put-aside'),
  );
  expect({ seed, found, steps: found.length === 0 ? [] : steps }).toEqual({ seed, found: [], steps: [] });
}

/**
 * Random kills can make an event or a file look as if it had crashed its owners: it is quarantined, and operators retry it. Retries all
 * and returns their number. [faults: 102, 151]
 */
async function tryAgainWhatIsAside({ service }: World): Promise<number> {
  const { body } = await service.admin('GET', '/quarantine');
  const items: { id: string; reason: string }[] = body.items;
  let tried = 0;
  for (const { id } of items)
    if ((await service.admin('POST', `/quarantine/${id}/retry`)).status < 300) tried += 1;
  return tried;
}
