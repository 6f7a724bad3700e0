/** A node of a cluster: wires, starts and stops lease, claims, membership, links, rebalancer and router. */
import { Host } from '../../actors/runtime/host.ts';
import { FencedError } from '../kernel/faults.ts';
import type { ClusterView, NodeInsight } from './cluster-view.ts';
import { linkUrl, reachable } from './member.ts';
import type { Member } from './member.ts';
import { Claims } from './claims.ts';
import { Confirmations } from './confirmations.ts';
import { Directory } from './directory.ts';
import { Feed } from './feed.ts';
import { Following } from './following.ts';
import { Homes } from './homes.ts';
import { NodeLease } from './lease.ts';
import { receiveFrame } from './frames.ts';
import { Links } from './links.ts';
import type { LinksOptions } from './links.ts';
import type { ChannelHost } from './local.ts';
import { Membership } from './membership.ts';
import type { ClusterInsight, ClusterOptions } from './options.ts';
import { OwnLease } from './own-lease.ts';
import { ClusterOwnership } from './ownership.ts';
import { NodesView } from './nodes-view.ts';
import { Peers } from './peers.ts';
import { unreachableBeside } from './reach.ts';
import type { Unreachable } from './reach.ts';
import { UnlinkedPeers } from './unlinked.ts';
import { Placement } from './placement.ts';
import { Rebalancer } from './rebalancer.ts';
import { Router } from './router.ts';

/** Added to the drain budget for an ask to another node to drain: time for its answer. */
const drainedMs = 5_000;
const maxRefreshEveryMs = 500;
/** Longest silence of a link: clients wait at least as long for a frozen peer. */
const maxSilentMs = 5_000;
/** Time beyond a lease to detect a death and to load the channel on its next owner. */
const askBeyondLeaseMs = 5_000;

export class Cluster implements ClusterView {
  readonly #options: ClusterOptions;
  readonly #self: Member;
  readonly #lease: NodeLease;
  readonly #ownership: ClusterOwnership;
  readonly #confirmations: Confirmations;
  readonly #membership: Membership;
  readonly #links: Links;
  readonly #homes: Homes;
  readonly #following: Following;
  readonly feed: Feed;
  readonly #rebalancer: Rebalancer;
  readonly #peers: Peers;
  readonly #unlinked: UnlinkedPeers;
  readonly #nodes: NodesView;
  readonly #ownLease: OwnLease;
  readonly host: ChannelHost;
  readonly router: Router;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { incarnation, nodeId, clock, leaseTtlMs, owners, log, counters } = options;
    const now = clock.now();
    const self = (this.#self = { nodeId, incarnation, url: '', startedAt: now, draining: false, leaseTtlMs });
    const lease = (this.#lease = this.#makeLease());
    const membership = (this.#membership = this.#makeMembership());
    const links = (this.#links = new Links(this.#linksOptions()));
    const feed = (this.feed = new Feed(links));
    const directory = new Directory();
    const homes = (this.#homes = new Homes({ self, clock }));
    const known = { self, lease, membership, links, homes, owners, clock };
    const claims = new Claims(known);
    const parts = { ...known, directory, claims, log, counters };
    this.#ownership = new ClusterOwnership({
      ...parts,
      onAcquired: (channelId) => this.#rebalancer.acquired(channelId),
      onReleased: (channelId) => this.#rebalancer.released(channelId),
    });
    this.#confirmations = this.#makeConfirmations();
    const host = (this.host = this.#makeHost());
    const placed = { ...parts, host, placement: new Placement(parts) };
    const rebalancer = (this.#rebalancer = new Rebalancer({
      ...placed,
      canMove: () => lease.isSure(),
      onOrphans: () => this.#ownLease.checkOrphansSoon(),
    }));
    const following = (this.#following = new Following({
      ...placed,
      rebalancer,
      canMove: () => options.channelsFollowSends && lease.isSure(),
    }));
    const router = (this.router = new Router({
      ...placed,
      following,
      askBudgetMs: leaseTtlMs + askBeyondLeaseMs,
      canOwn: () => lease.isValid(),
      wasOwner: () => lease.renewals > 0,
    }));
    const peers = (this.#peers = new Peers({ ...parts, feed, rebalancer, router }));
    this.#ownLease = new OwnLease({
      ...options,
      lease,
      host,
      claims,
      peers,
      rebalancer,
      ownership: this.#ownership,
      confirmations: this.#confirmations,
    });
    const unlinked = (this.#unlinked = new UnlinkedPeers(parts));
    this.#nodes = new NodesView({
      ...placed,
      run: options.run,
      lease: () => (lease.isSure() ? 'held' : lease.isValid() ? 'unsure' : 'lost'),
      peersWithoutLink: () => unlinked.count(),
      drainHere: () => this.#drainHere(),
    });
  }

  #makeLease(): NodeLease {
    const { incarnation, leaseTtlMs, leaseRedis, clock, log } = this.#options;
    return new NodeLease({
      redis: leaseRedis,
      incarnation,
      ttlMs: leaseTtlMs,
      clock,
      log,
      onLost: () => this.#ownLease.lost(),
      onTaken: () => this.#ownLease.taken(),
      onAnswered: () => this.#ownLease.answered(),
      onTick: () => void this.#confirmations.confirmNext(),
    });
  }

  #makeMembership(): Membership {
    const { redis, secret, leaseTtlMs, clock, log } = this.#options;
    return new Membership({
      redis,
      secret,
      self: this.#self,
      everyMs: Math.min(maxRefreshEveryMs, leaseTtlMs / 4),
      clock,
      log,
      onChange: (change) => this.#peers.changed(change),
      isLinked: (incarnation) => this.#links.get(incarnation) !== undefined,
    });
  }

  #linksOptions(): LinksOptions {
    const { secret, connections, clock, log, leaseTtlMs, askDeadlineMs, drainBudgetMs, counters } =
      this.#options;
    return {
      self: this.#self,
      secret,
      connections,
      clock,
      log,
      askDeadlineMs: Math.max(askDeadlineMs, drainBudgetMs + drainedMs),
      silentMs: Math.min(maxSilentMs, leaseTtlMs / 2),
      onFrame: (link, frame) =>
        receiveFrame(link, frame, {
          router: this.router,
          membership: this.#membership,
          feed: this.feed,
          homes: this.#homes,
          following: this.#following,
          refreshMembers: () => this.#peers.refreshMembers(),
          onChanged: this.#options.onChanged,
          answerNode: (ask) => this.#nodes.answer(ask),
          log,
        }),
      onOpen: (peer) => this.#peers.linked(peer),
      onDead: (peer) => this.#peers.died(peer),
      owned: () => this.host.size,
      roundTrip: (ms) => counters.observe('link_round_trip_seconds', ms / 1_000),
    };
  }

  #makeConfirmations(): Confirmations {
    return new Confirmations({
      granted: this.#ownership.granted,
      lease: this.#lease,
      owners: this.#options.owners,
      log: this.#options.log,
      onOvertaken: (channelId) => {
        const why = new FencedError('another node has minted a higher epoch');
        if (this.host.live(channelId) === undefined) void this.#ownership.ended(channelId, true);
        else this.host.close(channelId, why);
      },
    });
  }

  #makeHost(): ChannelHost {
    const { kind, clock, mailboxCapacity, idleAfterMs } = this.#options;
    return new Host({
      kind,
      ownership: this.#ownership,
      clock,
      mailboxCapacity,
      idleAfterMs,
      onFailure: (channelId, error) => this.#ownLease.activationFailed(channelId, error),
    });
  }

  get leaseIsValid(): boolean {
    return this.#lease.isValid();
  }

  /** Whether Redis has confirmed the lease recently. */
  get leaseIsSure(): boolean {
    return this.#lease.isSure();
  }

  insight(): ClusterInsight {
    return {
      renewals: this.#lease.renewals,
      losses: this.#lease.losses,
      members: this.#membership.live().length,
      links: this.#links.open().length,
      peersWithoutLink: this.#unlinked.count(),
    };
  }

  /** Rejects when the internal listener can't be bound. Does not wait for a Redis that is away: until it answers, asks get 503. */
  async start(): Promise<void> {
    const { internalHost, internalPort, internalUrl } = this.#options;
    const port = await this.#links.listen(internalPort, internalHost);
    this.#self.url = linkUrl(internalUrl ?? `http://${reachable(internalHost)}:${port}`);
    await this.#lease.start();
    await this.#membership.start();
    this.#unlinked.start();
  }

  /** What keeps the peers that it found at its start from reaching this node; null: nothing known. */
  unreachable(): Unreachable | null {
    const { internalHost } = this.#options;
    const peers = this.#membership.live().filter(({ incarnation }) => incarnation !== this.#self.incarnation);
    return unreachableBeside({ internalHost, url: this.#self.url }, peers);
  }

  drain(nodeId: string | null = null): Promise<void> {
    return this.#nodes.drain(nodeId);
  }

  /** Hands every channel over; afterwards this node owns nothing and forwards requests. */
  async #drainHere(): Promise<void> {
    this.#self.draining = true;
    await this.#membership.announce().catch(() => undefined); // the next membership look-up repeats it
    this.#links.broadcast({ f: 'drains' });
    this.#links.broadcast({ f: 'look' });
    await this.host.drain(this.#options.drainBudgetMs);
  }

  /** Ends every pending ask to another node: the store must show what became of it. */
  endAsks(): void {
    this.router.leave();
    for (const link of this.#links.open()) link.endAsks();
  }

  /** Leaves the cluster. Channels that were not drained are dropped; their next owners load them from the store. */
  async stop(): Promise<void> {
    this.#unlinked.stop();
    this.#rebalancer.stop();
    if (!this.host.isDraining) await this.host.drain(0);
    await this.#membership.stop();
    await this.#lease.stop();
    await this.#links.stop();
  }

  /** Tells every other node that a channel or key has changed. */
  changed(change: { channelId?: string; apiKeyId?: string }): void {
    const { channelId = null, apiKeyId = null } = change;
    this.#links.broadcast({ f: 'changed', channelId, apiKeyId });
  }

  nodes(): Promise<NodeInsight[]> {
    return this.#nodes.nodes();
  }

  whereIs(channelId: string): Promise<string> {
    return this.#nodes.whereIs(channelId);
  }
}
