/**
 * Moves channels without a request: survivors take the channels of a dead node, a new node gets its share, a leaving node hands all of them
 * over. A node that hands a channel over wakes the next owner, so that the channel's timers pause for milliseconds and not until the next
 * sweep.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { OwnerStore } from '../storage/owners.ts';
import type { Homes } from './homes.ts';
import type { LinkTo } from './links.ts';
import type { ChannelHost } from './local.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import type { Placement } from './placement.ts';

/** Members join and leave in groups (a rolling restart): channels move when that has settled. */
const settleMs = 1_000;
const takeoverBatch = 200;
/** Until it is asked again what a dead node has left. */
const againMs = 500;
const rebalanceBatch = 50;
/** To place one channel costs microseconds per node; the loop yields after this many. */
const placedPerTick = 500;

interface RebalancerOptions {
  self: Member;
  host: Pick<ChannelHost, 'keys' | 'handOver'> & {
    live(channelId: string): object | undefined;
    activate(channelId: string): Promise<unknown>;
  };
  owners: Pick<OwnerStore, 'ownedBy'>;
  membership: Pick<Membership, 'find'>;
  placement: Pick<Placement, 'nodeFor' | 'isSelf'>;
  homes: Pick<Homes, 'give' | 'givenTo'>;
  links: LinkTo;
  clock: Clock;
  log: Log;
  /** Whether nodes agree about the owners: without Redis a channel stays where it is. */
  canMove: () => boolean;
  /** Channels may be without an owner, so the due work must be searched. */
  onOrphans: () => void;
}

export class Rebalancer {
  readonly #options: RebalancerOptions;
  readonly #takingFrom = new Set<string>();
  /** Channels being handed over, and the node that each is given to; null: placement says which. */
  readonly #leaving = new Map<string, string | null>();
  #rebalance = 0;
  #cancelRebalance: (() => void) | null = null;
  readonly #retries = new Set<() => void>();
  #stopped = false;

  constructor(options: RebalancerOptions) {
    this.#options = options;
  }

  /**
   * Takes the channels of a dead incarnation that placement assigns to this node. Again until it has none left, because nodes that join or
   * die meanwhile disagree about placement for a moment. Never rejects.
   */
  async takeOver(incarnation: string): Promise<void> {
    const { log, owners, membership, onOrphans } = this.#options;
    const isBack = membership.find(incarnation) !== undefined;
    if (this.#takingFrom.has(incarnation) || this.#isOver || isBack) return;
    this.#takingFrom.add(incarnation);
    try {
      const left = await owners.ownedBy(incarnation);
      const mine = await this.#filter(left, (owner) => this.#isSelf(owner));
      if (mine.length > 0) await this.#activateAll(incarnation, mine);
      if (left.length > 0) this.#takeOverLater(incarnation);
    } catch (error) {
      log.warn({ from: incarnation, error: asError(error) }, 'takeover.failed');
      this.#takeOverLater(incarnation);
    } finally {
      this.#takingFrom.delete(incarnation);
    }
    onOrphans();
  }

  /** Hands over misplaced channels once the members have settled. */
  rebalanceSoon(): void {
    this.#cancelRebalance?.();
    this.#cancelRebalance = null;
    if (this.#isOver) return;
    this.#cancelRebalance = this.#options.clock.after(settleMs, () => {
      this.#cancelRebalance = null;
      if (this.#options.canMove()) void this.#moveAway();
    });
  }

  /**
   * This node has acquired a channel. If placement assigns it to another node (an outdated cache or a broken link led the ask here), it is
   * moved.
   */
  acquired(channelId: string): void {
    if (this.#cancelRebalance === null && !this.#isSelf(this.#options.placement.nodeFor(channelId)))
      this.rebalanceSoon();
  }

  /** A channel of this node is free. If it was handed over, its next owner is woken to claim it now. */
  released(channelId: string): void {
    const given = this.#leaving.get(channelId);
    if (!this.#leaving.delete(channelId) && !this.#options.self.draining) return;
    if (typeof given === 'string') this.#options.homes.give(channelId, given); // once more: the hand-over may have taken long
    const owner = this.#options.placement.nodeFor(channelId);
    if (owner === null || this.#isSelf(owner)) return;
    this.#wake(channelId, owner.incarnation);
  }

  /** Gives a channel to a node that placement does not assign it to, once it has nothing in flight here. */
  give(channelId: string, to: string): void {
    const { homes, host } = this.#options;
    homes.give(channelId, to);
    if (host.live(channelId) === undefined) this.#wake(channelId, to);
    else void this.#handOver(channelId, to);
  }

  #wake(channelId: string, owner: string): void {
    const link = this.#options.links.get(owner);
    const wake = { f: 'tell', channelId, tell: { type: 'wake' }, frees: 'store' } as const;
    const isGiven = this.#options.homes.givenTo(channelId) === owner;
    link?.send(isGiven ? { ...wake, isGiven } : wake);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRebalance?.();
    for (const cancel of this.#retries) cancel();
  }

  get #isOver(): boolean {
    return this.#stopped || this.#options.self.draining;
  }

  #isSelf(owner: Member | null): boolean {
    return this.#options.placement.isSelf(owner);
  }

  #takeOverLater(incarnation: string): void {
    if (this.#isOver) return;
    const cancel = this.#options.clock.after(againMs, () => {
      this.#retries.delete(cancel);
      void this.takeOver(incarnation);
    });
    this.#retries.add(cancel);
  }

  async #activateAll(from: string, channels: readonly string[]): Promise<void> {
    const { host, log, clock } = this.#options;
    const startedAt = clock.monotonic();
    let taken = 0;
    for (let at = 0; at < channels.length && !this.#isOver; at += takeoverBatch) {
      const batch = channels.slice(at, at + takeoverBatch);
      const results = await Promise.allSettled(batch.map((channelId) => host.activate(channelId)));
      taken += results.filter(({ status }) => status === 'fulfilled').length;
    }
    const ms = Math.round(clock.monotonic() - startedAt);
    log.info({ from, channels: channels.length, taken, ms }, 'node.taken-over');
  }

  async #moveAway(): Promise<void> {
    const { host, log } = this.#options;
    this.#rebalance += 1;
    const run = this.#rebalance;
    const isCurrent = (): boolean => run === this.#rebalance && !this.#isOver;
    const misplaced = await this.#filter(host.keys(), (owner) => owner !== null && !this.#isSelf(owner));
    let moved = 0;
    for (let at = 0; at < misplaced.length && isCurrent(); at += rebalanceBatch) {
      const batch = misplaced.slice(at, at + rebalanceBatch);
      await Promise.all(batch.map((channelId) => this.#handOver(channelId)));
      moved += batch.length;
    }
    if (moved > 0) log.info({ channels: moved }, 'channels.rebalanced');
  }

  async #handOver(channelId: string, to: string | null = null): Promise<void> {
    if (this.#isSelf(this.#options.placement.nodeFor(channelId))) return; // the members have changed again
    this.#leaving.set(channelId, to);
    await this.#options.host.handOver(channelId);
    this.#leaving.delete(channelId);
  }

  async #filter(channels: readonly string[], fits: (owner: Member | null) => boolean): Promise<string[]> {
    const found: string[] = [];
    for (const [index, channelId] of channels.entries()) {
      if (index % placedPerTick === placedPerTick - 1) await nextTick();
      if (fits(this.#options.placement.nodeFor(channelId))) found.push(channelId);
    }
    return found;
  }
}
