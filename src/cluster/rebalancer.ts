/**
 * How channels change their node when nobody asks for them: the survivors take what a dead node had, a newcomer gets its share,
 * a leaving node gives everything away. Whoever gives a channel away wakes its next owner, so that its timers stand still for
 * milliseconds and not until the next sweep.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { Directory } from './directory.ts';
import type { LinkTo } from './links.ts';
import type { ChannelHost } from './local.ts';
import type { Member } from './member.ts';
import type { Placement } from './placement.ts';

/** Members come and go in groups (a rolling restart): channels move once it is quiet. */
const settleMs = 1_000;
const takeoverBatch = 200;
const rebalanceBatch = 50;
/** Placing one channel costs microseconds per node; this many are placed before others get their turn. */
const placedPerTick = 500;

interface RebalancerOptions {
  self: Member;
  host: Pick<ChannelHost, 'keys' | 'handOver'> & { activate(channelId: string): Promise<unknown> };
  directory: Pick<Directory, 'ownedBy'>;
  placement: Placement;
  links: LinkTo;
  clock: Clock;
  log: Log;
  /** Whether nodes agree about who is where: without Redis a channel stays where it is. */
  canMove: () => boolean;
  /** Channels may be without an owner: look for due work. */
  onOrphans: () => void;
}

export class Rebalancer {
  readonly #options: RebalancerOptions;
  readonly #takingFrom = new Set<string>();
  readonly #leaving = new Set<string>();
  #rebalance = 0;
  #cancelRebalance: (() => void) | null = null;
  #stopped = false;

  constructor(options: RebalancerOptions) {
    this.#options = options;
  }

  /** The channels of a dead incarnation that placement gives to this node. Repeated until none is left; never rejects. */
  async takeOver(incarnation: string): Promise<void> {
    const { log, directory, onOrphans } = this.#options;
    if (this.#takingFrom.has(incarnation) || this.#isOver) return;
    this.#takingFrom.add(incarnation);
    try {
      const mine = await this.#filter(await directory.ownedBy(incarnation), (owner) => this.#isSelf(owner));
      if (mine.length > 0) await this.#activateAll(incarnation, mine);
    } catch (error) {
      log.warn({ from: incarnation, error: asError(error) }, 'takeover.failed'); // the next look repeats it
    } finally {
      this.#takingFrom.delete(incarnation);
    }
    onOrphans();
  }

  /** Moves what belongs elsewhere once the members have settled. */
  rebalanceSoon(): void {
    this.#cancelRebalance?.();
    this.#cancelRebalance = null;
    if (this.#isOver) return;
    this.#cancelRebalance = this.#options.clock.after(settleMs, () => {
      this.#cancelRebalance = null;
      if (this.#options.canMove()) void this.#moveAway();
    });
  }

  /** A channel became this node's. If it belongs elsewhere (an ask came by an old memory, a link was down), it won't stay. */
  acquired(channelId: string): void {
    if (this.#cancelRebalance === null && !this.#isSelf(this.#options.placement.nodeFor(channelId)))
      this.rebalanceSoon();
  }

  /** A channel of this node is free. If that is a move, its next owner takes it now. */
  released(channelId: string): void {
    if (!this.#leaving.delete(channelId) && !this.#options.self.draining) return;
    const owner = this.#options.placement.nodeFor(channelId);
    if (owner === null || this.#isSelf(owner)) return;
    this.#options.links.get(owner.incarnation)?.send({ f: 'tell', channelId, tell: { type: 'wake' } });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRebalance?.();
  }

  get #isOver(): boolean {
    return this.#stopped || this.#options.self.draining;
  }

  #isSelf(owner: Member | null): boolean {
    return this.#options.placement.isSelf(owner);
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

  async #handOver(channelId: string): Promise<void> {
    if (this.#isSelf(this.#options.placement.nodeFor(channelId))) return; // the members changed again
    this.#leaving.add(channelId);
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
