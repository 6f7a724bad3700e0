/** Bulk retries at the portal: of selected deliveries, or of all given-up ones of a time range. [portal: Deliveries] */
import type { KeptFilter } from '../../storage/kept-deliveries.ts';
import { Fault, StoreUnavailable } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import { findChannel } from '../channels/index.ts';
import type { World } from '../world.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import { auditReplay, auditRetry } from './audited.ts';
import { keptByOwner, sumOf } from './kept-by-owner.ts';
import { beginReplay, progressOf, replayedUntilNow, replayOne, replayProgress, retryOne } from './replay.ts';
import type { Replay } from './entity.ts';
import type { AskedReplay, ReplayOutcome, ReplayProgress } from './types.ts';

/** For a question whether to replay them: more are said to be more. */
export const mostCounted = 10_000;
/** Replays that are begun in one turn. */
const channelsAtOnce = 50;
/** Replays whose progress is shown; more than an account has channels. */
const maxReplays = 20_000;
/** Running replays whose deliveries are counted. */
const mostLookedInto = 20;

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

/** Number of deliveries that a replay would post; over all channels at most one more than `mostCounted`. `channelId` null: all channels. Throws 404 `not_found`. */
export async function countKept(
  world: World,
  caller: Caller,
  channelId: string | null,
  asked: AskedReplay,
): Promise<number> {
  const { accountId } = caller;
  const which = replayedUntilNow(world, asked);
  if (channelId !== null) await findChannel(world, caller, channelId);
  return world.searches.run(accountId, async () => {
    if (channelId !== null)
      return world.stores.keptDeliveries.count(ownerOf(channelId, asked.endpointId ?? null), which);
    return sumOf(await keptByOwner(world, accountId, which, mostCounted + 1));
  });
}

/** `replayDeliveries` for one channel, or for all if `channelId` is null. Throws 404 `not_found`. */
export async function replayAll(
  world: World,
  caller: Caller,
  channelId: string | null,
  asked: AskedReplay,
): Promise<ReplayOutcome> {
  const outcome = await (channelId === null
    ? replayAccount(world, caller, replayedUntilNow(world, asked))
    : oneByOne([channelId], async (id, sofar) => {
        const replay = await unlessRefused(() => replayOne(world, caller, id, asked));
        if (replay === null) sofar.left += await countKept(world, caller, id, asked);
        else sofar.begun += replay.done.replaying;
      }));
  await auditReplay(world, caller, channelId, { ...asked, begun: outcome.begun });
  return outcome;
}

/** One replay for each channel that keeps something, each durable by itself: what a crash leaves out, a second request begins. */
async function replayAccount(world: World, { accountId }: Caller, which: KeptFilter): Promise<ReplayOutcome> {
  const kept = await world.searches.run(accountId, () => keptByOwner(world, accountId, which));
  return oneByOne(slicesOf([...kept.values()], channelsAtOnce), async (some, sofar) => {
    const begun = await Promise.allSettled(
      some.map(({ channel, endpointId, count }) =>
        unlessRefused(() => beginReplay(world, { channel, endpointId }, which, count)),
      ),
    );
    for (const [n, { count }] of some.entries())
      if (begun[n]?.status === 'fulfilled') sofar[begun[n].value === null ? 'left' : 'begun'] += count;
    const failed = begun.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  });
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

/**
 * Sum over the last replay of each channel that is running or was asked for recently; null: there is none. Throws 404 `not_found`.
 * Of many that run `begun` is a lower bound.
 */
export async function replaysProgress(
  world: World,
  caller: Caller,
  channelId: string | null,
  endpointId: string | null,
): Promise<ReplayProgress | null> {
  const since = world.clock.now() - shownMs;
  if (channelId !== null) {
    const replay = await replayProgress(world, caller, channelId, endpointId);
    return replay !== null && (replay.isRunning || replay.askedAt > since) ? replay : null;
  }
  const { accountId } = caller;
  const recent = lastOfEach(await world.stores.replays.recent(accountId, since, maxReplays));
  const [first, ...others] = await world.searches.run(accountId, () =>
    Promise.all(
      recent.map(async (replay, n) => (n < mostLookedInto ? progressOf(world.stores, replay) : sure(replay))),
    ),
  );
  return first === undefined ? null : others.reduce(addProgress, first);
}

/** Of replays in order, the newest first. */
function lastOfEach(replays: readonly Replay[]): Replay[] {
  const channels = new Map<string, Replay>();
  for (const replay of replays) if (!channels.has(replay.channelId)) channels.set(replay.channelId, replay);
  return [...channels.values()];
}

/** What is known without a look at the deliveries. */
function sure({ total, openSince, createdAt }: Replay): ReplayProgress {
  const isRunning = openSince !== null;
  return { total, begun: isRunning ? 0 : total, isRunning, askedAt: createdAt };
}

function addProgress(a: ReplayProgress, b: ReplayProgress): ReplayProgress {
  return {
    total: a.total + b.total,
    begun: a.begun + b.begun,
    isRunning: a.isRunning || b.isRunning,
    askedAt: Math.min(a.askedAt, b.askedAt),
  };
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

function slicesOf<T>(items: readonly T[], size: number): T[][] {
  const slices: T[][] = [];
  for (let at = 0; at < items.length; at += size) slices.push(items.slice(at, at + size));
  return slices;
}
