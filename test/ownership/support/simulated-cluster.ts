/**
 * A hundred nodes in one process, with a clock that the test moves: membership, placement and moves are the real code; Redis, links and
 * actors are simulated as far as those three use them. A node reacts to changes of members as `Cluster` does.
 */
import { Redis } from 'ioredis';
import type { Member } from '../../../src/ownership/member.ts';
import { Membership } from '../../../src/ownership/membership.ts';
import { NotOwner } from '../../../src/ownership/claims.ts';
import { Homes } from '../../../src/ownership/homes.ts';
import { Placement } from '../../../src/ownership/placement.ts';
import { Rebalancer } from '../../../src/ownership/rebalancer.ts';
import { sleep } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../support/silent-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const lookMs = 500;
const activationMs = 5;
const leaseTtlMs = 10_000;
const secret = 'a-cluster-secret-of-the-tests-0001';

export interface SimulatedNode {
  member: Member;
  membership: Membership;
  placement: Placement;
  rebalancer: Rebalancer;
  owned: Set<string>;
  linked: Set<string>;
  isAlive: boolean;
}

export class SimulatedCluster {
  readonly clock = new FakeClock();
  readonly nodes = new Map<string, SimulatedNode>();
  /** Channel → incarnation, as in the store. */
  readonly owners = new Map<string, string>();
  /** Each acquisition of a channel by a node. */
  readonly moves: { channelId: string; to: string; at: number }[] = [];
  /** Since when a channel has had no live owner. */
  readonly #unownedSince = new Map<string, number>();
  /** The longest time without a live owner since the last `reset`. */
  longestGapMs = 0;
  readonly #announced = new Map<string, string>();
  readonly #leases = new Set<string>();
  readonly #random: () => number;
  #isCut: (one: string, other: string) => boolean = () => false;
  #runs = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  live(): SimulatedNode[] {
    return [...this.nodes.values()].filter(({ isAlive }) => isAlive);
  }

  async join(nodeId: string): Promise<SimulatedNode> {
    this.#runs += 1;
    const incarnation = `${nodeId}:${this.#runs}`;
    const member = {
      nodeId,
      incarnation,
      url: `wss://${nodeId}:1`,
      startedAt: 0,
      draining: false,
      leaseTtlMs,
    };
    const node = this.#make(member);
    this.nodes.set(incarnation, node);
    this.#leases.add(incarnation);
    await node.membership.start();
    return node;
  }

  /** kill -9: links close, the port refuses, and linked nodes report that it is dead. */
  kill(node: SimulatedNode): void {
    const { incarnation } = node.member;
    node.isAlive = false;
    node.rebalancer.stop();
    void node.membership.stop();
    for (const channelId of node.owned) this.#unownedSince.set(channelId, this.clock.monotonic());
    for (const peer of this.live().filter(({ linked }) => linked.has(incarnation)))
      this.clock.after(this.#between(1, 30), () => {
        this.#leases.delete(incarnation);
        peer.linked.delete(incarnation);
        peer.membership.drop(incarnation);
      });
  }

  /** Links between these nodes and the others are cut; all reach Redis. */
  cut(group: ReadonlySet<string>): void {
    this.#isCut = (one, other) => group.has(one) !== group.has(other);
  }

  heal(): void {
    const wasCut = this.#isCut;
    this.#isCut = () => false;
    for (const node of this.live())
      for (const peer of this.live())
        if (wasCut(node.member.incarnation, peer.member.incarnation))
          this.clock.after(this.#between(5, 25), () => this.#linkOpened(node, peer));
  }

  /** An ask for the channel: its chosen node becomes its owner. */
  async ask(channelId: string): Promise<void> {
    const [any] = this.live();
    const owner = any?.placement.nodeFor(channelId);
    const node = owner === null || owner === undefined ? undefined : this.nodes.get(owner.incarnation);
    if (node !== undefined) await this.#activate(node, channelId);
  }

  reset(): void {
    this.moves.length = 0;
    this.longestGapMs = 0;
  }

  /** The channels without a live owner. */
  unowned(): string[] {
    return [...this.#unownedSince.keys()];
  }

  #make(member: Member): SimulatedNode {
    const { clock } = this;
    const [owned, linked] = [new Set<string>(), new Set<string>()];
    const membership = new Membership({
      redis: this.#redisOf(),
      self: member,
      secret,
      everyMs: lookMs + this.#between(-20, 20),
      clock,
      log: silentLog,
      onChange: (change) => this.#membersChanged(node, change),
      isLinked: (incarnation) => this.#linkTo(node, incarnation) !== undefined,
    });
    const links = { get: (incarnation: string) => this.#linkTo(node, incarnation) };
    const homes = new Homes({ self: member, clock });
    const placement = new Placement({ self: member, membership, links, homes });
    const rebalancer = new Rebalancer({
      self: member,
      host: {
        keys: () => [...owned],
        live: () => undefined,
        activate: (channelId) => this.#activate(node, channelId),
        handOver: (channelId) => this.#handOver(node, channelId),
      },
      membership,
      owners: { ownedBy: async (incarnation) => this.#ownedBy(incarnation) },
      placement,
      homes,
      links,
      clock,
      log: silentLog,
      canMove: () => true,
      onOrphans: () => undefined,
    });
    const node = { member, membership, placement, rebalancer, owned, linked, isAlive: true };
    return node;
  }

  #membersChanged(node: SimulatedNode, { joined, gone }: { joined: Member[]; gone: Member[] }): void {
    for (const { incarnation } of joined) {
      const peer = this.nodes.get(incarnation);
      if (peer !== undefined && peer !== node)
        this.clock.after(this.#between(5, 25), () => this.#linkOpened(node, peer));
    }
    for (const { incarnation } of gone) {
      node.linked.delete(incarnation);
      void node.rebalancer.takeOver(incarnation);
    }
    node.rebalancer.rebalanceSoon();
  }

  #linkOpened(node: SimulatedNode, peer: SimulatedNode): void {
    if (!node.isAlive || !peer.isAlive || this.#isCut(node.member.incarnation, peer.member.incarnation))
      return;
    for (const [one, other] of [
      [node, peer],
      [peer, node],
    ] as const) {
      one.linked.add(other.member.incarnation);
      one.rebalancer.rebalanceSoon();
    }
  }

  #linkTo(node: SimulatedNode, incarnation: string): { send(frame: object): boolean } | undefined {
    const peer = this.nodes.get(incarnation);
    const isOpen = node.linked.has(incarnation) && !this.#isCut(node.member.incarnation, incarnation);
    if (peer === undefined || !isOpen) return undefined;
    return {
      send: (frame) => {
        const channelId = 'channelId' in frame ? String(frame.channelId) : '';
        this.clock.after(this.#between(1, 5), () => {
          if (peer.isAlive) this.#activate(peer, channelId).catch(() => undefined);
        });
        return true;
      },
    };
  }

  /** Rejects if another live node has it. */
  async #activate(node: SimulatedNode, channelId: string): Promise<void> {
    if (node.owned.has(channelId)) return;
    await sleep(this.clock, activationMs);
    const owner = this.owners.get(channelId);
    const { incarnation } = node.member;
    if (!node.isAlive || node.owned.has(channelId)) return;
    if (owner !== undefined && this.#leases.has(owner)) throw new NotOwner(owner);
    this.owners.set(channelId, incarnation);
    node.owned.add(channelId);
    const now = this.clock.monotonic();
    this.moves.push({ channelId, to: incarnation, at: now });
    this.longestGapMs = Math.max(this.longestGapMs, now - (this.#unownedSince.get(channelId) ?? now));
    this.#unownedSince.delete(channelId);
    node.rebalancer.acquired(channelId);
  }

  async #handOver(node: SimulatedNode, channelId: string): Promise<void> {
    await sleep(this.clock, activationMs);
    if (!node.isAlive) return;
    node.owned.delete(channelId);
    this.owners.delete(channelId);
    this.#unownedSince.set(channelId, this.clock.monotonic());
    node.rebalancer.released(channelId);
  }

  #ownedBy(incarnation: string): string[] {
    const owned = this.nodes.get(incarnation)?.owned ?? [];
    return [...owned].filter((channelId) => this.owners.get(channelId) === incarnation);
  }

  #between(least: number, most: number): number {
    return least + this.#random() * (most - least);
  }

  /** What membership asks of Redis; its scripts, by their text. */
  #redisOf(): Redis {
    const commands: Record<string, () => Promise<unknown>> = {
      trunkline_members: async () => this.#listed(),
    };
    const redis = new Redis({ lazyConnect: true });
    return Object.assign(redis, {
      defineCommand: (name: string) => void Reflect.set(redis, name, commands[name]),
      hset: async (_key: string, incarnation: string, announcement: string) =>
        this.#announced.set(incarnation, announcement).size,
      hdel: async () => 0,
    });
  }

  #listed(): string[] {
    return [...this.#announced].flatMap(([incarnation, announcement]) => {
      const isLeased = this.#leases.has(incarnation);
      return [incarnation, announcement, isLeased ? '1' : '0'];
    });
  }
}
