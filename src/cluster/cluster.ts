/**
 * A node among others: lease, directory, membership, links, rebalancer and router, started and stopped together, and what follows
 * when a peer comes, goes or dies, or this node's own lease does.
 */
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { Host } from '../../actors/runtime/host.ts';
import { StoreUnavailable, asError } from '../kernel/faults.ts';
import type { NodeInsight } from '../use-cases/operating/use-cases.ts';
import { Directory } from './directory.ts';
import { NodeLease } from './lease.ts';
import type { Link } from './link.ts';
import { Links } from './links.ts';
import type { Member } from './member.ts';
import { Membership } from './membership.ts';
import { Rebalancer } from './rebalancer.ts';
import type { ClusterInsight, ClusterOptions } from './options.ts';
import { ClusterOwnership } from './ownership.ts';
import { Router } from './router.ts';
import type { Frame } from './wire.ts';

const defaultAskDeadlineMs = 60_000;
const maxLookMs = 500;
const orphansMs = 200;
/** Beyond a lease: how long until the death is seen and the next owner has loaded. */
const patienceBeyondLeaseMs = 5_000;

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #self: Member;
  readonly #lease: NodeLease;
  readonly #directory: Directory;
  readonly #ownership: ClusterOwnership;
  readonly #membership: Membership;
  readonly #links: Links;
  readonly #moves: Rebalancer;
  readonly host: Host<unknown, ChannelMessage, unknown>;
  readonly router: Router;
  #isSuspending = false;
  #orphansCalled = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { incarnation, nodeId, clock, log, redis, counters, leaseTtlMs } = options;
    const self: Member = {
      nodeId,
      incarnation,
      url: '',
      startedAt: clock.now(),
      draining: false,
      leaseTtlMs,
    };
    this.#self = self;
    const directory = new Directory(redis, incarnation);
    this.#directory = directory;
    this.#lease = new NodeLease({
      redis: options.leaseRedis,
      incarnation,
      ttlMs: leaseTtlMs,
      clock,
      log,
      onLost: () => this.#suspend(),
      onTaken: () => this.#resume(),
    });
    this.#membership = new Membership({
      redis,
      self,
      everyMs: Math.min(maxLookMs, leaseTtlMs / 4),
      clock,
      log,
      onChange: (change) => this.#membersChanged(change),
      onLeftBehind: (dead) => void this.#moves.takeOver(dead),
    });
    this.#links = new Links({
      self,
      secret: options.secret,
      clock,
      log,
      askDeadlineMs: options.askDeadlineMs ?? defaultAskDeadlineMs,
      silentMs: leaseTtlMs / 2,
      onRequest: options.onInternalRequest,
      onFrame: (link, frame) => this.#frame(link, frame),
      onOpen: (peer) => this.#linked(peer),
      onDead: (peer) => this.#peerDied(peer),
      roundTrip: (ms) => counters.observe('link_round_trip_ms', ms),
    });
    this.#ownership = new ClusterOwnership({
      self,
      lease: this.#lease,
      directory,
      owners: options.owners,
      clock,
      log,
      counters,
      onAcquired: (channelId) => this.#moves.acquired(channelId),
      onReleased: (channelId) => this.#moves.released(channelId),
    });
    this.host = new Host({
      kind: options.kind,
      ownership: this.#ownership,
      clock,
      mailboxCapacity: options.mailboxCapacity,
      idleAfterMs: options.idleAfterMs,
      onFailure: (channelId, error) => this.#activationFailed(channelId, error),
    });
    const parts = {
      self,
      host: this.host,
      directory,
      membership: this.#membership,
      links: this.#links,
      clock,
    };
    this.#moves = new Rebalancer({ ...parts, log, onOrphans: () => this.#orphans() });
    this.router = new Router({
      ...parts,
      moves: this.#moves,
      patienceMs: leaseTtlMs + patienceBeyondLeaseMs,
      canOwn: () => this.#lease.isValid(),
    });
  }

  get leaseIsValid(): boolean {
    return this.#lease.isValid();
  }

  insight(): ClusterInsight {
    const links = this.#links.open();
    return {
      leaseIsValid: this.#lease.isValid(),
      renewals: this.#lease.renewals,
      losses: this.#lease.losses,
      members: this.#membership.live().length,
      links: links.length,
      asksInFlight: links.reduce((sum, link) => sum + link.inFlight, 0),
      channelsOwned: this.host.size,
    };
  }

  /** Rejects when the internal listener can't be bound. A Redis that is away is waited for, by asks that are answered 503. */
  async start(): Promise<void> {
    const { internalHost, internalPort, internalUrl } = this.#options;
    const port = await this.#links.listen(internalPort, internalHost);
    this.#self.url = (internalUrl ?? `http://${reachable(internalHost)}:${port}`).replace(/^http/, 'ws');
    await this.#lease.start();
    await this.#membership.start();
  }

  /** Hands every channel over; afterwards this node owns nothing and forwards what still comes in. */
  async drain(): Promise<void> {
    this.#self.draining = true;
    await this.#membership.announce().catch(() => undefined); // the next look repeats it
    this.#links.broadcast({ f: 'look' });
    await this.host.drain(this.#options.drainBudgetMs);
  }

  /** Leaves: what was not drained is dropped for the next owner to find in the store. */
  async stop(): Promise<void> {
    this.#moves.stop();
    if (!this.host.isDraining) await this.host.drain(0);
    await this.#membership.stop();
    await this.#lease.stop();
    await this.#links.stop();
  }

  /** Tells every other node that a channel or key changed. */
  changed(change: { channelId?: string; apiKeyId?: string }): void {
    const { channelId = null, apiKeyId = null } = change;
    this.#links.broadcast({ f: 'changed', channelId, apiKeyId });
  }

  /** Live nodes; a count that Redis does not tell is 0. */
  async nodes(): Promise<NodeInsight[]> {
    return Promise.all(
      this.#membership.live().map(async ({ nodeId, incarnation, startedAt, draining }) => ({
        nodeId,
        startedAt,
        draining,
        channelsOwned:
          incarnation === this.#self.incarnation
            ? this.host.size
            : await this.#directory.countOwnedBy(incarnation).catch(() => 0),
      })),
    );
  }

  /** Node that owns the channel, or would. */
  async whereIs(channelId: string): Promise<string> {
    if (this.host.live(channelId) !== undefined) return this.#self.nodeId;
    const incarnation = await this.#directory.find(channelId).catch(() => null);
    const owner = incarnation === null ? undefined : this.#membership.find(incarnation);
    return (owner ?? this.#moves.place(channelId) ?? this.#self).nodeId;
  }

  #frame(link: Link, frame: Frame): void {
    switch (frame.f) {
      case 'ask':
        void this.#answer(link, frame);
        return;
      case 'tell':
        this.router.tellHere(frame.channelId, frame.tell);
        return;
      case 'changed':
        this.#options.onChanged({ channelId: frame.channelId, apiKeyId: frame.apiKeyId });
        return;
      case 'look':
        this.#look();
        return;
      case 'bye':
        this.#membership.drop(link.incarnation);
        return;
      case 'ping':
      case 'reply':
      case 'refusal':
        return; // settled by the link itself
    }
  }

  async #answer(link: Link, { id, channelId, ask }: Extract<Frame, { f: 'ask' }>): Promise<void> {
    try {
      const outcome = await this.router.here(channelId, ask);
      link.send('reply' in outcome ? { f: 'reply', id, ...outcome } : { f: 'refusal', id, ...outcome });
    } catch (error) {
      this.#options.log.error({ channel: channelId, ask: ask.type, error: asError(error) }, 'ask.failed');
      link.send({ f: 'refusal', id, refusal: { why: 'fault', code: 'internal', details: {} } });
    }
  }

  #look(): void {
    void this.#membership.refresh().catch(() => undefined); // a Redis that is away says it once, in its own log line
  }

  /** The lease margin ended: everything owned stops at once; the next claim finds the way back. [architecture §7] */
  #suspend(): void {
    const { log, counters } = this.#options;
    log.warn({ channels: this.host.size }, 'lease.lost');
    counters.increment('leases_lost_total');
    this.#isSuspending = true;
    this.#ownership.forgetAll();
    this.host.closeAll(new StoreUnavailable("this node's lease was lost"));
    this.#isSuspending = false;
  }

  #resume(): void {
    this.#options.log.info({ losses: this.#lease.losses }, 'lease.taken');
    if (this.#lease.losses > 0) this.#orphans();
  }

  #membersChanged({ joined, gone }: { joined: Member[]; gone: Member[] }): void {
    for (const member of joined) this.#joined(member);
    for (const { incarnation } of gone) {
      this.#directory.evictSession(incarnation);
      this.#links.removePeer(incarnation);
      void this.#moves.takeOver(incarnation);
    }
    this.#moves.rebalanceSoon();
    this.router.wakeWaiters();
  }

  #joined(member: Member): void {
    this.#links.addPeer(member);
    // One process listens on an address: who had it before and is missed is dead, though the port answers again.
    for (const { incarnation, url } of this.#membership.live())
      if (url === member.url && incarnation !== member.incarnation && this.#links.isMissed(incarnation))
        this.#peerDied(incarnation);
  }

  #linked(incarnation: string): void {
    if (this.#membership.find(incarnation) === undefined) this.#look();
    this.#moves.rebalanceSoon();
  }

  /** A closed link and a refused reconnect: the lease is not waited for; the epoch keeps it safe. [architecture §4, Fail-over] */
  #peerDied(incarnation: string): void {
    const { log, counters } = this.#options;
    if (incarnation === this.#self.incarnation) return;
    log.warn({ peer: incarnation, node: this.#membership.find(incarnation)?.nodeId }, 'node.dead');
    counters.increment('peers_dead_total');
    void this.#directory
      .declareDead(incarnation)
      .catch((error: unknown) => log.warn({ error: asError(error) }, 'node.dead-not-told'))
      .then(() => this.#membership.drop(incarnation));
  }

  #orphans(): void {
    if (this.#orphansCalled) return;
    this.#orphansCalled = true;
    this.#options.clock.after(orphansMs, () => {
      this.#orphansCalled = false;
      this.#options.onOrphans();
    });
  }

  #activationFailed(channelId: string, error: Error): void {
    const { log, counters } = this.#options;
    if (error.name === 'FencedError') counters.increment('fences_total');
    if (this.#isSuspending) return;
    log.warn({ channel: channelId, error }, 'channel.activation-ended');
    void this.#ownership.ended(channelId);
  }
}

/** What others dial when this node listens on every address and nothing else was said: right for nodes of one machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
