/**
 * Group commit for one collection, in four lanes: inserts, claims, facts and drops. Writes that arrive while a lane's batch is in flight
 * form its next batch, so that a claim never waits for a slower update. Then the batch grows while each turn of the event loop brings more.
 * Nothing waits for a timer. [performance §2.3]
 */
import { setImmediate as immediate } from 'node:timers/promises';
import { StoreUnavailable } from '../../kernel/faults.ts';
import { writeBatch } from './batch.ts';
import type { BatchTarget } from './placed.ts';
import type { NewDocument } from './commands.ts';
import { Lane, kinds } from './lane.ts';
import type { Part, Kind, QueuedWork, Work, WorkResult } from './lane.ts';

export interface GroupCommitStats {
  batches: number;
  writes: number;
  /** Writes gathered and not sent yet. */
  waiting: number;
}

/** More waiting works mean that the server is too slow: further ones are rejected at once, which bounds memory. [faults: I11] */
const maxWaiting = 50_000;

/** How many turns of a busy event loop, a few ms, a batch may grow: a command costs CPU on both sides whatever its size. [performance §4] */
const turnsPerBatch = 6;

export class GroupCommitQueue {
  readonly #target: BatchTarget;
  readonly #lanes: Record<Kind, Lane> = {
    insert: new Lane(),
    claim: new Lane(),
    fact: new Lane(),
    drop: new Lane(),
  };
  /** For each document, the last part that touches it and is not written yet; later parts wait for that part. */
  readonly #touching = new Map<string, Part>();
  #isClosed = false;
  #stats = { batches: 0, writes: 0 };

  constructor(target: BatchTarget) {
    this.#target = target;
  }

  /**
   * Resolves once the work is durable, in the order of `add` within a lane. Rejects with StoreUnavailable if that cannot be known. Works on
   * one document keep the order of `add` across lanes.
   */
  add(work: Work): Promise<WorkResult> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('the store is closed', 'no'));
    if (this.#size >= maxWaiting) {
      return Promise.reject(new StoreUnavailable(`${maxWaiting} writes are waiting`, 'no'));
    }
    return new Promise((resolve, reject) => {
      const of = makeQueuedWork(work, this.#target.retryPolicy.deadline(), resolve, reject);
      for (const kind of kinds) {
        const ids = listIds(of.work, kind);
        if (ids.length > 0) this.#enter({ of, kind, ids, blockers: 0, followers: null });
      }
      if (of.open === 0) settle(of);
    });
  }

  /** Rejects further work; resolves when all accepted work is answered. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    const running = (): Promise<void>[] => kinds.flatMap((kind) => this.#lanes[kind].running ?? []);
    for (let left = running(); left.length > 0; left = running()) await Promise.all(left);
  }

  stats(): GroupCommitStats {
    return { ...this.#stats, waiting: this.#size };
  }

  get #size(): number {
    return kinds.reduce((sum, kind) => sum + this.#lanes[kind].size, 0);
  }

  #enter(part: Part): void {
    for (const id of part.ids) {
      const before = this.#touching.get(id);
      this.#touching.set(id, part);
      // The lane itself keeps the facts of one document in order.
      if (before === undefined || (before.kind === 'fact' && part.kind === 'fact')) continue;
      part.blockers += 1;
      (before.followers ??= []).push(part);
    }
    part.of.open += 1;
    this.#lanes[part.kind].push(part);
    this.#start(part.kind);
  }

  #start(kind: Kind): void {
    const lane = this.#lanes[kind];
    lane.running ??= this.#run(kind, lane);
  }

  async #run(kind: Kind, lane: Lane): Promise<void> {
    await this.#grown(lane);
    for (let batch = lane.take(); batch.length > 0; batch = lane.take()) {
      this.#stats.batches += 1;
      this.#stats.writes += batch.reduce((sum, { ids }) => sum + ids.length, 0);
      await writeBatch(
        this.#target,
        kind,
        batch.map(({ of }) => of),
      );
      for (const part of batch) this.#written(part);
      await this.#grown(lane);
    }
    lane.running = null;
  }

  /** Resolves when a turn of the event loop has added nothing to the lane, or after some turns. */
  async #grown(lane: Lane): Promise<void> {
    let before = 0;
    for (let turn = 0; turn < turnsPerBatch && lane.size > before; turn += 1) {
      before = lane.size;
      await immediate();
    }
  }

  #written(part: Part): void {
    for (const id of part.ids) if (this.#touching.get(id) === part) this.#touching.delete(id);
    for (const follower of part.followers ?? []) {
      follower.blockers -= 1;
      if (follower.blockers === 0) this.#start(follower.kind);
    }
    part.of.open -= 1;
    if (part.of.open === 0) settle(part.of);
  }
}

function makeQueuedWork(
  { inserts = [], claims = [], facts = [], drops = [] }: Work,
  deadline: number,
  resolve: QueuedWork['resolve'],
  reject: QueuedWork['reject'],
): QueuedWork {
  const result = { inserted: inserts.map(() => true), claimed: claims.map(() => true), made: [] };
  const bytes = inserts.reduce((sum, document) => sum + estimateBytes(document), 0);
  return {
    work: { inserts, claims, facts, drops },
    bytes,
    deadline,
    result,
    open: 0,
    failure: null,
    resolve,
    reject,
  };
}

function estimateBytes(document: NewDocument): number {
  const sealed: unknown = document['payload'] ?? document['content'];
  return 500 + (sealed instanceof Uint8Array ? sealed.byteLength : 0);
}

function listIds({ inserts, claims, facts, drops }: QueuedWork['work'], kind: Kind): readonly string[] {
  switch (kind) {
    case 'insert':
      return inserts.map(({ _id }) => _id);
    case 'claim':
      return claims.map(({ id }) => id);
    case 'fact':
      return facts.map(({ id }) => id);
    case 'drop':
      return drops;
    default:
      return kind satisfies never;
  }
}

function settle({ failure, result, resolve, reject }: QueuedWork): void {
  if (failure === null) resolve(result);
  else reject(failure);
}
