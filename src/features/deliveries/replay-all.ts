/** Bulk retries at the portal: of selected deliveries, or of all given-up ones of a time range. [portal: Deliveries] */
import type { Channel } from '../../rules/channels/channel.ts';
import { Fault, StoreUnavailable } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { findChannels } from './list-all.ts';
import { auditReplay, auditRetry } from './audited.ts';
import { replayOne, replayProgress, retryOne } from './replay.ts';
import type { AskedReplay, ReplayOutcome, ReplayProgress } from './types.ts';

/** Time for which a finished replay is shown. */
const shownMs = 600_000;

/** Retries sequentially in the given order. Deliveries of other accounts count as `left`, as absent ones do. */
export async function retryDeliveries(
  world: World,
  caller: Caller,
  which: readonly { channelId: string; deliveryId: string }[],
): Promise<ReplayOutcome> {
  const outcome = await oneByOne(which, async ({ channelId, deliveryId }, sofar) => {
    const isBegun = await unlessRefused(() => retryOne(world, caller, channelId, deliveryId));
    sofar[isBegun === null ? 'left' : 'begun'] += 1;
  });
  const { begun, left } = outcome;
  const done = { accountId: caller.accountId, subject: null, shown: { begun, left } };
  if (begun > 0) await auditRetry(world, caller, 'deliveries.tried-again', done);
  return outcome;
}

/** Number of deliveries that a replay would post. `channelId` null: all channels. Throws 404 `not_found`. */
export async function countKept(
  world: World,
  caller: Caller,
  channelId: string | null,
  { since, until, events }: AskedReplay,
): Promise<number> {
  const which = { since, until: until ?? world.clock.now(), events };
  const channels = await keepingChannels(world, caller, channelId);
  return world.searches.run(caller.accountId, async () => {
    let count = 0;
    for (const { id } of channels) count += await world.stores.keptDeliveries.count(id, which);
    return count;
  });
}

/** `replayDeliveries` for one channel, or for all if `channelId` is null. Throws 404 `not_found`. */
export async function replayAll(
  world: World,
  caller: Caller,
  channelId: string | null,
  asked: AskedReplay,
): Promise<ReplayOutcome> {
  const outcome = await oneByOne(await keepingChannels(world, caller, channelId), async ({ id }, sofar) => {
    const replay = await unlessRefused(() => replayOne(world, caller, id, asked));
    if (replay === null) sofar.left += await countKept(world, caller, id, asked);
    else sofar.begun += replay.done.replaying;
  });
  await auditReplay(world, caller, channelId, { ...asked, begun: outcome.begun });
  return outcome;
}

/** Rethrows an error of a step; but once something was begun, a busy error ends the loop and the partial outcome is returned. */
async function oneByOne<T>(
  items: readonly T[],
  step: (item: T, outcome: ReplayOutcome) => Promise<void>,
): Promise<ReplayOutcome> {
  const outcome: ReplayOutcome = { begun: 0, left: 0 };
  for (const item of items) {
    try {
      await step(item, outcome);
    } catch (thrown) {
      if (outcome.begun === 0 || !isBusy(thrown)) throw thrown;
      return { ...outcome, isCutShort: true };
    }
  }
  return outcome;
}

function isBusy(thrown: unknown): boolean {
  if (thrown instanceof StoreUnavailable) return true;
  return thrown instanceof Fault && (thrown.status === 429 || thrown.status === 503);
}

/** Sum over the last replay of each channel; null if none is running or ended recently. Throws 404 `not_found`. */
export async function replaysProgress(
  world: World,
  caller: Caller,
  channelId: string | null,
): Promise<ReplayProgress | null> {
  const all: ReplayProgress[] = [];
  for (const { id } of await keepingChannels(world, caller, channelId)) {
    const replay = await replayProgress(world, caller, id);
    if (replay !== null && (replay.isRunning || replay.askedAt > world.clock.now() - shownMs))
      all.push(replay);
  }
  const [first] = all;
  if (first === undefined) return null;
  return all.slice(1).reduce(addProgress, first);
}

function addProgress(a: ReplayProgress, b: ReplayProgress): ReplayProgress {
  return {
    total: a.total + b.total,
    begun: a.begun + b.begun,
    isRunning: a.isRunning || b.isRunning,
    askedAt: Math.min(a.askedAt, b.askedAt),
  };
}

/** Channels that may have kept payloads. */
async function keepingChannels(
  world: World,
  caller: Caller,
  channelId: string | null,
): Promise<readonly Channel[]> {
  const { channels } = await findChannels(world, caller, channelId);
  if (channelId !== null) return channels;
  return channels.filter(({ isActive, failedRetentionDays }) => isActive && failedRetentionDays > 0);
}

/** null if `work` throws 409 or 404: nothing can be sent. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<{ done: T } | null> {
  try {
    return { done: await work() };
  } catch (thrown) {
    if (thrown instanceof Fault && (thrown.code === 'conflict' || thrown.code === 'not_found')) return null;
    throw thrown;
  }
}
