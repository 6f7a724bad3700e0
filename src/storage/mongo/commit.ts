/** Commits of channel owners: each goes through the queues step by step, together with commits of other channels. */
import type { ChannelJournal } from '../journal/channel-journal.ts';
import type { WhenCertain, Write, WriteResult } from '../journal/writes.ts';
import { isClaim, isIntent, fenced } from '../journal/rule.ts';
import type { Claim } from '../journal/rule.ts';
import { toEffect } from '../journal/effects.ts';
import type { GroupCommitQueue } from './group-commit-queue.ts';
import type { WorkResult } from './lane.ts';
import { ActiveCarriers } from './pending-updates.ts';
import { makePlan } from './plan.ts';
import type { Plan } from './plan.ts';

interface Lanes {
  messages: GroupCommitQueue;
  deliveries: GroupCommitQueue;
  unmatched: GroupCommitQueue;
  mails: GroupCommitQueue;
}

/** Whether one of the claims meets a higher epoch. Read only after a claim missed, so a send has no extra round trip. */
export type IsFenced = (channelId: string, epoch: number, claims: readonly Claim[]) => Promise<boolean>;

type Commit = ChannelJournal['commit'];

/**
 * Returns one result per write. Throws FencedError if a claim met a higher epoch: then no intent was applied, and every fact was. Throws
 * StoreUnavailable unless every write is known to be durable.
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
      copies: () => writeCopies(commitQueues, plan, applied),
      first: async () => {
        await firstStep(commitQueues, plan, applied);
        if (isCarried(plan, applied)) whenCertain?.(toResults(applied));
      },
      messages: async () => {
        const { inserts, claims, facts } = plan.messages;
        setApplied(applied, plan.messages, await commitQueues.messages.add({ inserts, claims, facts }));
        carriers.end(plan.carriers);
      },
      drops: () => done(commitQueues.unmatched.add({ drops: plan.drops })),
    });
    const missed = listClaims(writes.filter((_, at) => applied[at] === false));
    if (missed.length > 0 && (await isFenced(channelId, epoch, missed))) throw fenced(channelId, epoch);
    return toResults(applied);
  }

  /** For commits that do not fit the steps, which are mostly tests: checks the fence first, then writes one by one. */
  async function oneByOne(
    channelId: string,
    epoch: number,
    writes: readonly Write[],
  ): Promise<WriteResult[]> {
    const claims = listClaims(writes);
    const stopsIntents = claims.length > 0 && (await isFenced(channelId, epoch, claims));
    const applied = writes.map(() => false);
    for (const [at, write] of copiesFirst(writes)) {
      if (stopsIntents && isIntent(toEffect(write))) continue;
      const [result] = await commit(channelId, epoch, [write]);
      applied[at] = result?.applied === true;
    }
    if (stopsIntents) throw fenced(channelId, epoch);
    return toResults(applied);
  }

  const commit: Commit = async (channelId, epoch, writes, whenCertain) => {
    const plan = makePlan(channelId, epoch, writes, isCarrying);
    return plan === null
      ? oneByOne(channelId, epoch, writes)
      : commitPlan(channelId, epoch, writes, plan, whenCertain);
  };

  return commit;
}

/** Each with its place: those of endpoints before what makes their event look done, as in a plan. */
function copiesFirst(writes: readonly Write[]): [number, Write][] {
  const isCopy = ([, { write }]: [number, Write]): boolean => write === 'insertCopy';
  const placed = [...writes.entries()];
  return [...placed.filter(isCopy), ...placed.filter((each) => !isCopy(each))];
}

function listClaims(writes: readonly Write[]): Claim[] {
  return writes.map(toEffect).filter(isClaim);
}

/** Whether new deliveries carry every fact of the commit. A delivery that existed before carries the facts of its own commit. */
function isCarried({ carriers, deliveries }: Plan, applied: readonly boolean[]): boolean {
  const isNew = new Set(
    deliveries.inserts.flatMap(({ _id }, i) => (applied[deliveries.insertAt[i] ?? -1] === true ? [_id] : [])),
  );
  return carriers.length > 0 && carriers.every((id) => isNew.has(id));
}

function toResults(applied: readonly boolean[]): WriteResult[] {
  return applied.map((each) => ({ applied: each }));
}

async function writeCopies(commitQueues: Lanes, { copies }: Plan, applied: boolean[]): Promise<void> {
  const { inserted } = await commitQueues.deliveries.add({ inserts: copies.inserts });
  copies.insertAt.forEach((at, i) => (applied[at] = inserted[i] === true));
}

async function firstStep(commitQueues: Lanes, plan: Plan, applied: boolean[]): Promise<void> {
  const { mails, mailAt, unmatched, deliveries, attempts } = plan;
  const started: Promise<void>[] = [];
  if (mails.length > 0) {
    const work = commitQueues.mails.add({ facts: mails });
    started.push(work.then(({ made }) => mailAt.forEach((at, i) => (applied[at] = made.includes(i)))));
  }
  if (unmatched.length > 0) started.push(done(commitQueues.unmatched.add({ facts: unmatched })));
  if (deliveries.inserts.length + deliveries.claims.length > 0) {
    const { inserts, claims } = deliveries;
    const work = commitQueues.deliveries.add({ inserts, claims });
    started.push(work.then((result) => setApplied(applied, deliveries, result)));
  }
  // The mail must be stored before the attempt that ends its delivery: nobody looks at an ended delivery again.
  if (mails.length > 0) await all(started);
  if (attempts.length > 0) started.push(done(commitQueues.deliveries.add({ facts: attempts })));
  await all(started);
}

async function done(work: Promise<WorkResult>): Promise<void> {
  await work;
}

/** Like Promise.all, but rejects only when all have settled, so that a retry never overlaps a write. */
async function all(started: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(started)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function setApplied(applied: boolean[], places: Plan['messages'], { inserted, claimed }: WorkResult): void {
  places.insertAt.forEach((at, i) => (applied[at] = inserted[i] === true));
  places.claimAt.forEach((at, i) => (applied[at] = claimed[i] === true));
}

const nothing = (): void => undefined;

interface Steps {
  copies(): Promise<void>;
  first(): Promise<void>;
  messages(): Promise<void>;
  drops(): Promise<void>;
}

/**
 * Keeps the order of one channel's commits over their steps, without making a commit wait for the results of another. First steps start at
 * once, and queues are first in, first out; a later step starts when the steps of all earlier commits have started. A commit whose events
 * endpoints get, too, stores those copies before, so a later commit's events wait for them.
 */
class ChannelOrder {
  /** By channel with running commits: resolves when the last commit has started its last step. */
  readonly #tails = new Map<string, Promise<void>>();
  /** By channel: resolves when the last commit with copies, or behind such a one, has started its first step. */
  readonly #copying = new Map<string, Promise<void>>();

  async through(channelId: string, plan: Plan, steps: Steps): Promise<void> {
    const before = this.#tails.get(channelId);
    const { hasCopies, hasFirst, hasMessages, hasDrops } = makeSteps(plan);
    if (before === undefined && !hasCopies && !hasFirst && !hasDrops) return steps.messages();
    const mayBeDropped = plan.unmatched.length > 0;
    const isFirstAlone = hasFirst && !hasCopies && !hasMessages && !hasDrops && !mayBeDropped;
    // Its only step starts now, so nothing overtakes it, and nobody has to wait for it or it for the commits before.
    if (isFirstAlone && !this.#copying.has(channelId)) return steps.first();

    let allStarted = nothing;
    const tail = new Promise<void>((resolve) => (allStarted = resolve));
    this.#tails.set(channelId, tail);
    try {
      // An earlier commit must not drop a fact that this one stores.
      if (mayBeDropped) await before;
      const isBehind = plan.deliveries.inserts.length > 0 && this.#copying.has(channelId);
      if (hasCopies || isBehind) await this.#inTurn(channelId, steps, { hasCopies, hasFirst });
      else if (hasFirst) await steps.first();
      await before;
      if (hasMessages) await andThen(steps.messages(), hasDrops ? null : allStarted);
      if (hasDrops) await andThen(steps.drops(), allStarted);
    } finally {
      allStarted();
      if (this.#tails.get(channelId) === tail) this.#tails.delete(channelId);
    }
  }

  /** The copies are stored at once, and the first step follows those of the commits before. */
  async #inTurn(
    channelId: string,
    steps: Steps,
    { hasCopies, hasFirst }: { hasCopies: boolean; hasFirst: boolean },
  ): Promise<void> {
    const before = this.#copying.get(channelId);
    let started = nothing;
    const turn = new Promise<void>((resolve) => (started = resolve));
    this.#copying.set(channelId, turn);
    try {
      if (hasCopies) await steps.copies();
      await before;
      if (hasFirst) await andThen(steps.first(), started);
    } finally {
      started();
      if (this.#copying.get(channelId) === turn) this.#copying.delete(channelId);
    }
  }
}

/** Calls `onStarted` once the step has started, before it ends. */
function andThen(step: Promise<void>, onStarted: (() => void) | null): Promise<void> {
  onStarted?.();
  return step;
}

function makeSteps({ mails, unmatched, deliveries, attempts, copies, messages, drops }: Plan) {
  const hasCopies = copies.inserts.length > 0;
  return {
    hasCopies,
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
