/** What follows on this node when its own lease is taken, lost or sure again. [architecture §7] */
import { StoreUnavailable } from '../kernel/faults.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Claims } from './claims.ts';
import type { Confirmations } from './confirmations.ts';
import type { NodeLease } from './lease.ts';
import type { ChannelHost } from './local.ts';
import type { ClusterOptions } from './options.ts';
import type { ClusterOwnership } from './ownership.ts';
import type { Peers } from './peers.ts';
import type { Rebalancer } from './rebalancer.ts';

/** Delay of the search for due work: it reads the due work of every channel, so sends that a node's death has delayed go first. */
const orphansMs = 1_000;

type FromOptions = Pick<ClusterOptions, 'clock' | 'log' | 'onOrphans' | 'onLease'>;

interface OwnLeaseParts extends FromOptions {
  counters: Counters;
  lease: Pick<NodeLease, 'losses'>;
  host: Pick<ChannelHost, 'size' | 'closeAll'>;
  claims: Pick<Claims, 'forgetTurns'>;
  ownership: Pick<ClusterOwnership, 'forgetAll' | 'ended'>;
  confirmations: Pick<Confirmations, 'confirmNext'>;
  peers: Pick<Peers, 'refreshMembers'>;
  rebalancer: Pick<Rebalancer, 'rebalanceSoon'>;
}

export class OwnLease {
  readonly #parts: OwnLeaseParts;
  #isSuspending = false;
  #orphansCalled = false;

  constructor(parts: OwnLeaseParts) {
    this.#parts = parts;
  }

  /** Redis answers again: this node keeps its channels, unless another node has taken them meanwhile. */
  answered(): void {
    const { claims, confirmations, peers, rebalancer } = this.#parts;
    claims.forgetTurns();
    void confirmations.confirmNext();
    peers.refreshMembers();
    rebalancer.rebalanceSoon();
  }

  /** Ends every activation at once; the next claim acquires its channel again. */
  lost(): void {
    const { log, counters, host, ownership } = this.#parts;
    log.warn({ channels: host.size }, 'lease.lost');
    counters.increment('leases_lost_total');
    this.#isSuspending = true;
    ownership.forgetAll();
    host.closeAll(new StoreUnavailable("this node's lease was lost"));
    this.#isSuspending = false;
  }

  taken(): void {
    const { log, lease, onLease } = this.#parts;
    log.info({ losses: lease.losses }, 'lease.taken');
    if (lease.losses > 0) this.checkOrphansSoon();
    onLease();
  }

  /** Called when channels may be without an owner: searches for due work after a delay, once for all calls until then. */
  checkOrphansSoon(): void {
    if (this.#orphansCalled) return;
    this.#orphansCalled = true;
    this.#parts.clock.after(orphansMs, () => {
      this.#orphansCalled = false;
      this.#parts.onOrphans();
    });
  }

  /** An activation ended. Unless that is because the lease was lost, its channel is freed. */
  activationFailed(channelId: string, error: Error): void {
    const { log, counters, ownership } = this.#parts;
    const isFenced = error.name === 'FencedError';
    if (isFenced) counters.increment('fences_total');
    if (this.#isSuspending) return;
    log.warn({ channel: channelId, error }, 'channel.activation-ended');
    void ownership.ended(channelId, isFenced);
  }
}
