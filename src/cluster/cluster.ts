/**
 * A node among others: lease, directory, membership, links and router, started and stopped together, and what follows when a
 * peer comes, goes or dies.
 */
import type http from 'node:http';
import type { Redis } from 'ioredis';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ActorKind } from '../../actors/runtime/actor.ts';
import { Host } from '../../actors/runtime/host.ts';
import type { Clock } from '../kernel/clock.ts';
import { StoreUnavailable, asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { NodeInsight } from '../use-cases/index.ts';
import type { OwnerStore } from '../use-cases/ports.ts';
import { Directory } from './directory.ts';
import { NodeLease } from './lease.ts';
import type { Link } from './link.ts';
import { Links } from './links.ts';
import { Membership } from './membership.ts';
import type { Member } from './membership.ts';
import { clusterOwnership } from './ownership.ts';
import { placeOf } from './placement.ts';
import { Router } from './router.ts';
import type { Frame } from './wire.ts';

export interface ClusterOptions {
  nodeId: string;
  session: string;
  secret: string;
  internalHost: string;
  internalPort: number;
  /** How other nodes reach the internal listener; null: host and bound port. */
  internalUrl: string | null;
  leaseTtlMs: number;
  /** For everything but the lease. */
  redis: Redis;
  /** The lease's own connection: a busy queue must not starve it. */
  leaseRedis: Redis;
  owners: OwnerStore;
  kind: ActorKind<unknown, ChannelMessage, unknown>;
  mailboxCapacity: number;
  idleAfterMs: number;
  drainBudgetMs: number;
  clock: Clock;
  log: Log;
  counters: { increment(name: string): void; observe(name: string, value: number): void };
  onInternalRequest: http.RequestListener;
  /** Another node changed a channel or revoked a key: forget what is cached. */
  onChanged(change: { channelId: string | null; apiKeyId: string | null }): void;
  /** A peer is gone or channels are free: look for due work without an owner now. */
  onOrphans(): void;
}

const membershipMs = 500;
const rebalanceAfterMs = 1_000;
const rebalanceBatch = 50;
const takeoverBatch = 200;

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #self: Member;
  readonly #lease: NodeLease;
  readonly #directory: Directory;
  readonly #membership: Membership;
  readonly #links: Links;
  readonly host: Host<unknown, ChannelMessage, unknown>;
  readonly router: Router;
  #cancelRebalance: () => void = () => undefined;
  #stopped = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { session, nodeId, clock, log, redis, counters } = options;
    this.#self = { nodeId, session, url: '', startedAt: clock.now(), draining: false };
    this.#directory = new Directory(redis, session);
    this.#lease = new NodeLease({
      redis: options.leaseRedis,
      session,
      ttlMs: options.leaseTtlMs,
      clock,
      log,
      onLost: () => this.#leaseLost(),
      onTaken: () => log.info({ session }, 'lease.taken'),
    });
    this.#membership = new Membership({
      redis,
      self: this.#self,
      everyMs: membershipMs,
      clock,
      log,
      onChange: (change) => this.#membersChanged(change),
    });
    this.#links = new Links({
      self: this.#self,
      secret: options.secret,
      clock,
      log,
      onRequest: options.onInternalRequest,
      onFrame: (link, frame) => this.#frame(link, frame),
      onOpen: () => undefined,
      onDead: (dead) => this.#peerDied(dead),
      roundTrip: (ms) => counters.observe('link_round_trip_ms', ms),
    });
    this.host = new Host({
      kind: options.kind,
      ownership: clusterOwnership({
        self: this.#self,
        lease: this.#lease,
        directory: this.#directory,
        owners: options.owners,
        clock,
        log,
        onTakeover: () => counters.increment('takeovers_total'),
      }),
      clock,
      mailboxCapacity: options.mailboxCapacity,
      idleAfterMs: options.idleAfterMs,
      onFailure: (channelId, error) => this.#activationFailed(channelId, error),
    });
    this.router = new Router({
      host: this.host,
      directory: this.#directory,
      links: this.#links,
      membership: this.#membership,
      session,
      clock,
    });
  }

  get leaseIsValid(): boolean {
    return this.#lease.isValid();
  }

  async start(): Promise<void> {
    const { internalHost, internalPort, internalUrl } = this.#options;
    const port = await this.#links.listen(internalPort, internalHost);
    const reachable = internalHost === '0.0.0.0' || internalHost === '::' ? '127.0.0.1' : internalHost;
    this.#self.url = (internalUrl ?? `http://${reachable}:${port}`).replace(/^http/, 'ws');
    await this.#lease.start();
    await this.#membership.start();
    for (const member of this.#membership.live()) this.#links.know(member);
    this.#links.broadcast({ f: 'look' });
  }

  /** Hands every channel over; afterwards this node owns nothing and forwards what still comes in. */
  async drain(): Promise<void> {
    this.#self.draining = true;
    this.#cancelRebalance();
    await this.#membership.announce().catch(() => undefined);
    this.#links.broadcast({ f: 'look' });
    await this.host.drain(this.#options.drainBudgetMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRebalance();
    await this.#membership.stop();
    await this.#lease.stop();
    this.#links.broadcast({ f: 'look' });
    await this.#links.stop();
  }

  /** Tells every other node that a channel or key changed. */
  changed(change: { channelId?: string; apiKeyId?: string }): void {
    this.#links.broadcast({
      f: 'changed',
      channelId: change.channelId ?? null,
      apiKeyId: change.apiKeyId ?? null,
    });
  }

  async nodes(): Promise<NodeInsight[]> {
    const members = this.#membership.live();
    return Promise.all(
      members.map(async ({ nodeId, session, startedAt, draining }) => ({
        nodeId,
        startedAt,
        draining,
        channelsOwned:
          session === this.#self.session
            ? this.host.size
            : (await this.#directory.ownedBy(session).catch(() => [])).length,
      })),
    );
  }

  /** Node that owns the channel, or would. */
  async whereIs(channelId: string): Promise<string> {
    if (this.host.live(channelId) !== undefined) return this.#self.nodeId;
    const session = await this.#directory.find(channelId).catch(() => null);
    const owner = session === null ? undefined : this.#membership.find(session);
    return owner?.nodeId ?? placeOf(channelId, this.#membership.placeable())?.nodeId ?? this.#self.nodeId;
  }

  #frame(link: Link, frame: Frame): void {
    switch (frame.f) {
      case 'ask':
        void this.router.here(frame.channelId, frame.ask).then(
          (outcome) =>
            link.send(
              'reply' in outcome
                ? { f: 'reply', id: frame.id, reply: outcome.reply }
                : { f: 'refusal', id: frame.id, refusal: outcome.refusal },
            ),
          () =>
            link.send({ f: 'refusal', id: frame.id, refusal: { why: 'fault', code: 'internal', facts: {} } }),
        );
        return;
      case 'tell':
        if (frame.tell.type !== 'wake') this.host.live(frame.channelId)?.tell(frame.tell);
        else
          this.host.activate(frame.channelId).then(
            (it) => it.tell(frame.tell),
            () => undefined,
          );
        return;
      case 'changed':
        this.#options.onChanged(frame);
        return;
      case 'look':
        void this.#membership.look().catch(() => undefined);
        return;
      case 'ping':
        link.send({ f: 'reply', id: frame.id, reply: null });
        return;
      case 'reply':
      case 'refusal':
        return; // settled by the link itself
    }
  }

  /** The lease margin ended: everything owned stops at once; the next claim finds the way back. [architecture §7] */
  #leaseLost(): void {
    const { log, counters } = this.#options;
    log.warn({ channels: this.host.size }, 'lease.lost');
    counters.increment('leases_lost_total');
    this.host.closeAll(new StoreUnavailable("this node's lease was lost"));
  }

  #membersChanged({ joined, gone }: { joined: Member[]; gone: Member[] }): void {
    for (const member of joined) this.#links.know(member);
    for (const member of gone) {
      this.#directory.evictSession(member.session);
      this.#links.forget(member.session);
      void this.#takeOver(member.session);
    }
    this.#scheduleRebalance();
  }

  /** A closed link and a refused reconnect: the lease is not waited for; the epoch keeps it safe. [architecture §4, Fail-over] */
  #peerDied(session: string): void {
    const { log, counters } = this.#options;
    log.warn({ peer: session }, 'node.dead');
    counters.increment('peers_dead_total');
    this.#directory
      .declareDead(session)
      .catch((error: unknown) => log.warn({ error: asError(error) }, 'node.dead-not-told'))
      .finally(() => this.#membership.drop(session));
  }

  /** The channels of a node that is gone: each survivor takes what placement gives it, in batches. */
  async #takeOver(session: string): Promise<void> {
    const { log } = this.#options;
    try {
      const orphans = await this.#directory.ownedBy(session);
      const mine = orphans.filter(
        (id) => placeOf(id, this.#membership.placeable())?.session === this.#self.session,
      );
      for (let at = 0; at < mine.length && !this.#stopped && !this.host.isDraining; at += takeoverBatch) {
        await Promise.allSettled(mine.slice(at, at + takeoverBatch).map((id) => this.host.activate(id)));
      }
      if (mine.length > 0) log.info({ from: session, channels: mine.length }, 'node.taken-over');
    } catch (error) {
      log.warn({ error: asError(error) }, 'takeover.failed');
    }
    this.#options.onOrphans();
  }

  /** Channels that belong elsewhere now move there, a few at a time, once the members have settled. */
  #scheduleRebalance(): void {
    this.#cancelRebalance();
    if (this.#stopped || this.#self.draining) return;
    this.#cancelRebalance = this.#options.clock.after(rebalanceAfterMs, () => void this.#rebalance());
  }

  async #rebalance(): Promise<void> {
    const placeable = this.#membership.placeable();
    const leaving = this.host.keys().filter((id) => placeOf(id, placeable)?.session !== this.#self.session);
    for (let at = 0; at < leaving.length && !this.#stopped && !this.host.isDraining; at += rebalanceBatch) {
      await Promise.all(leaving.slice(at, at + rebalanceBatch).map((id) => this.host.handOver(id)));
    }
    if (leaving.length > 0) this.#options.log.info({ channels: leaving.length }, 'channels.rebalanced');
  }

  #activationFailed(channelId: string, error: Error): void {
    const { log, counters } = this.#options;
    if (error.name === 'FencedError') counters.increment('fences_total');
    log.warn({ channel: channelId, error }, 'channel.activation-ended');
    this.#directory.release(channelId).catch(() => undefined);
  }
}
