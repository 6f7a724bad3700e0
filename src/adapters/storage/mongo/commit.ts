/** Commits of channel owners: each goes step by step through the queues, together with the commits of other channels. */
import type { ChannelJournal } from '../../../../actors/channel/ports/store.ts';
import type { WhenCertain, Write, WriteResult } from '../../../../actors/channel/ports/writes.ts';
import { isClaim, isIntent } from '../journal/effect.ts';
import type { Claim } from '../journal/effect.ts';
import { fenced } from '../journal/fenced.ts';
import { toEffect } from '../journal/index.ts';
import type { GroupCommitQueue } from './group-commit-queue.ts';
import type { WorkResult } from './work.ts';
import { ActiveCarriers } from './pending-updates.ts';
import { makePlan } from './plan.ts';
import type { Plan } from './plan.ts';

interface Lanes {
  messages: GroupCommitQueue;
  deliveries: GroupCommitQueue;
  unmatched: GroupCommitQueue;
  mails: GroupCommitQueue;
}

/** Which of these claims meet a higher epoch. Asked after a miss only, never on the way of a send. */
export type IsFenced = (channelId: string, epoch: number, claims: readonly Claim[]) => Promise<boolean>;

type Commit = ChannelJournal['commit'];

/**
 * One result per write. Throws FencedError when a claim met a higher epoch: no intent was applied then, every fact was.
 * Throws StoreUnavailable when any write is not known to be durable.
 */
export function committer(commitQueues: Lanes, isFenced: IsFenced): Commit {
  const order = new ChannelOrder();
  const carriers = new ActiveCarriers();
  const isCarrying = (deliveryId: string): boolean => carriers.has(deliveryId);

  async function commitPlan(
    channelId: string,
    epoch: number,
    writes: readonly Write[],
    plan: Plan,
    whenCertain: WhenCertain | undefined,
  ): Promise<WriteResult[]> {
    const applied = writes.map(() => true);
    carriers.begin(plan.carriers);
    await order.through(channelId, plan, {
      first: async () => {
        await firstStep(commitQueues, plan, applied);
        if (isCarried(plan, applied)) whenCertain?.(toResults(applied));
      },
      messages: async () => {
        const { inserts, claims, facts } = plan.messages;
        note(applied, plan.messages, await commitQueues.messages.add({ inserts, claims, facts }));
        carriers.end(plan.carriers);
      },
      drops: async () => {
        await commitQueues.unmatched.add({ drops: plan.drops });
      },
    });
    const missed = listClaims(writes.filter((_, at) => applied[at] === false));
    if (missed.length > 0 && (await isFenced(channelId, epoch, missed))) throw fenced(channelId, epoch);
    return toResults(applied);
  }

  /** For what no steps fit, tests above all: every write on its own, and the fence asked first. */
  async function oneByOne(
    channelId: string,
    epoch: number,
    writes: readonly Write[],
  ): Promise<WriteResult[]> {
    const claims = listClaims(writes);
    const stopsIntents = claims.length > 0 && (await isFenced(channelId, epoch, claims));
    const results: WriteResult[] = [];
    for (const write of writes) {
      if (stopsIntents && isIntent(toEffect(write))) continue;
      results.push(...(await commit(channelId, epoch, [write])));
    }
    if (stopsIntents) throw fenced(channelId, epoch);
    return results;
  }

  const commit: Commit = async (channelId, epoch, writes, whenCertain) => {
    const plan = makePlan(channelId, epoch, writes, isCarrying);
    return plan === null
      ? oneByOne(channelId, epoch, writes)
      : commitPlan(channelId, epoch, writes, plan, whenCertain);
  };

  return commit;
}

function listClaims(writes: readonly Write[]): Claim[] {
  return writes.map(toEffect).filter(isClaim);
}

/** Whether every fact of the commit is on record with a delivery: one that was there before carries what it did then. */
function isCarried({ carriers, deliveries }: Plan, applied: readonly boolean[]): boolean {
  const isNew = new Set(
    deliveries.inserts.flatMap(({ _id }, i) => (applied[deliveries.insertAt[i] ?? -1] === true ? [_id] : [])),
  );
  return carriers.length > 0 && carriers.every((id) => isNew.has(id));
}

function toResults(applied: readonly boolean[]): WriteResult[] {
  return applied.map((each) => ({ applied: each }));
}

async function firstStep(commitQueues: Lanes, plan: Plan, applied: boolean[]): Promise<void> {
  const { mails, unmatched, deliveries, attempts } = plan;
  const started: Promise<void>[] = [];
  if (mails.length > 0) started.push(done(commitQueues.mails.add({ facts: mails })));
  if (unmatched.length > 0) started.push(done(commitQueues.unmatched.add({ facts: unmatched })));
  if (deliveries.inserts.length + deliveries.claims.length > 0) {
    const { inserts, claims } = deliveries;
    const work = commitQueues.deliveries.add({ inserts, claims });
    started.push(work.then((result) => note(applied, deliveries, result)));
  }
  // An ended delivery is looked at no more: its mail must be there first.
  if (mails.length > 0) await all(started);
  if (attempts.length > 0) started.push(done(commitQueues.deliveries.add({ facts: attempts })));
  await all(started);
}

async function done(work: Promise<WorkResult>): Promise<void> {
  await work;
}

/** As Promise.all, but never leaves while something is still being written: a retry must come after it. */
async function all(started: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(started)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function note(applied: boolean[], places: Plan['messages'], { inserted, claimed }: WorkResult): void {
  places.insertAt.forEach((at, i) => (applied[at] = inserted[i] === true));
  places.claimAt.forEach((at, i) => (applied[at] = claimed[i] === true));
}

const nothing = (): void => undefined;

interface Steps {
  first(): Promise<void>;
  messages(): Promise<void>;
  drops(): Promise<void>;
}

/**
 * Keeps the order of one channel's commits over their steps without making one wait for the answer of another: first steps
 * start at once, and queues are first in, first out; the step after may start when those of the commits before it have.
 */
class ChannelOrder {
  /** Per channel with commits under way: resolves when the last of them has started its last step. */
  readonly #tails = new Map<string, Promise<void>>();

  async through(channelId: string, plan: Plan, steps: Steps): Promise<void> {
    const before = this.#tails.get(channelId);
    const { hasFirst, hasMessages, hasDrops } = makeSteps(plan);
    if (before === undefined && !hasFirst && !hasDrops) return steps.messages();

    let allStarted = nothing;
    const tail = new Promise<void>((resolve) => (allStarted = resolve));
    this.#tails.set(channelId, tail);
    try {
      // What a commit before this one drops must not be what this one holds.
      if (plan.unmatched.length > 0) await before;
      if (hasFirst) await steps.first();
      await before;
      if (hasMessages) await andThen(steps.messages(), hasDrops ? null : allStarted);
      if (hasDrops) await andThen(steps.drops(), allStarted);
    } finally {
      allStarted();
      if (this.#tails.get(channelId) === tail) this.#tails.delete(channelId);
    }
  }
}

/** The step has started; `say` says so before it ends. */
function andThen(step: Promise<void>, say: (() => void) | null): Promise<void> {
  say?.();
  return step;
}

function makeSteps({ mails, unmatched, deliveries, attempts, messages, drops }: Plan) {
  return {
    hasFirst:
      mails.length +
        unmatched.length +
        deliveries.inserts.length +
        deliveries.claims.length +
        attempts.length >
      0,
    hasMessages: messages.inserts.length + messages.claims.length + messages.facts.length > 0,
    hasDrops: drops.length > 0,
  };
}
