/** What people do with many deliveries at once: those that they tick, or all that was given up since a time. [portal: Deliveries] */
import type { Channel } from '../../domain/channels/channel.ts';
import { Fault, StoreUnavailable } from '../../kernel/faults.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import { replayDeliveries, replayProgress } from './replay.ts';
import { retryDelivery } from './retry.ts';
import type { AskedReplay, ReplayProgress } from './types.ts';

/** As many as are listed together. */
const maxChannels = 200;
/** A replay that has ended is shown for so long. */
const shownMs = 600_000;

interface Outcome {
  /** On their way again. */
  begun: number;
  /** Not any more there to be sent, or their channel has no webhook. */
  left: number;
  /** The service was too busy for the rest, of which nothing was begun. */
  isCutShort?: true;
}

/** One after the other, in the order in which they are given. What is not the account's is left, as what is not there. */
export async function retryDeliveries(
  deps: UseCaseDeps,
  caller: Caller,
  which: readonly { channelId: string; deliveryId: string }[],
): Promise<Outcome> {
  return oneByOne(which, async ({ channelId, deliveryId }, outcome) => {
    const isBegun = await unlessRefused(() => retryDelivery(deps, caller, channelId, deliveryId));
    outcome[isBegun === null ? 'left' : 'begun'] += 1;
  });
}

/** How many would be posted again. `channelId` null: of all channels. Throws 404 `not_found`. */
export async function countKept(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string | null,
  { since, until, events }: AskedReplay,
): Promise<number> {
  const which = { since, until: until ?? deps.clock.now(), events };
  const channels = await keepingChannels(deps, caller, channelId);
  return deps.searches.run(caller.accountId, async () => {
    let count = 0;
    for (const { id } of channels) count += await deps.stores.keptDeliveries.count(id, which);
    return count;
  });
}

/** As for one channel, for all of them where `channelId` is null. Throws 404 `not_found`. */
export async function replayAll(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string | null,
  asked: AskedReplay,
): Promise<Outcome> {
  return oneByOne(await keepingChannels(deps, caller, channelId), async ({ id }, outcome) => {
    const replay = await unlessRefused(() => replayDeliveries(deps, caller, id, asked));
    if (replay === null) outcome.left += await countKept(deps, caller, id, asked);
    else outcome.begun += replay.done.replaying;
  });
}

/** Throws what a step throws, while nothing was begun: what was begun stands, and its caller hears of it. */
async function oneByOne<T>(
  items: readonly T[],
  step: (item: T, outcome: Outcome) => Promise<void>,
): Promise<Outcome> {
  const outcome: Outcome = { begun: 0, left: 0 };
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

/** Of the last replay of each channel, together; null: none is under way, nor has ended of late. Throws 404 `not_found`. */
export async function replaysProgress(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string | null,
): Promise<ReplayProgress | null> {
  const all: ReplayProgress[] = [];
  for (const { id } of await keepingChannels(deps, caller, channelId)) {
    const replay = await replayProgress(deps, caller, id);
    if (replay !== null && (replay.isRunning || replay.askedAt > deps.clock.now() - shownMs))
      all.push(replay);
  }
  const [first] = all;
  if (first === undefined) return null;
  return all.slice(1).reduce(together, first);
}

function together(a: ReplayProgress, b: ReplayProgress): ReplayProgress {
  return {
    total: a.total + b.total,
    begun: a.begun + b.begun,
    isRunning: a.isRunning || b.isRunning,
    askedAt: Math.min(a.askedAt, b.askedAt),
  };
}

/** Those that may keep something. */
async function keepingChannels(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string | null,
): Promise<readonly Channel[]> {
  if (channelId !== null) return [await findChannel(deps, caller, channelId)];
  const { items } = await deps.stores.channels.list(caller.accountId, { limit: maxChannels, cursor: null });
  return items.filter(({ isActive, failedRetentionDays }) => isActive && failedRetentionDays > 0);
}

/** null: there is nothing of it to be sent, as far as this account knows. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<{ done: T } | null> {
  try {
    return { done: await work() };
  } catch (thrown) {
    if (thrown instanceof Fault && (thrown.code === 'conflict' || thrown.code === 'not_found')) return null;
    throw thrown;
  }
}
