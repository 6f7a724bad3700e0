/** What follows when a peer joins, leaves or dies. */
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Claims } from './claims.ts';
import type { Directory } from './directory.ts';
import type { Feed } from './feed.ts';
import type { Links } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import type { Rebalancer } from './rebalancer.ts';
import type { Router } from './router.ts';

interface PeersOptions {
  self: Member;
  claims: Pick<Claims, 'gone'>;
  directory: Pick<Directory, 'evictOwner'>;
  membership: Pick<Membership, 'refresh' | 'live' | 'find' | 'drop' | 'endLease'>;
  links: Pick<Links, 'addPeer' | 'removePeer' | 'isMissed'>;
  feed: Pick<Feed, 'linked'>;
  rebalancer: Pick<Rebalancer, 'takeOver' | 'rebalanceSoon'>;
  router: Pick<Router, 'wakeWaiters'>;
  log: Log;
  counters: Counters;
}

export class Peers {
  readonly #options: PeersOptions;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** Asks Redis for the members. */
  refreshMembers(): void {
    void this.#options.membership.refresh().catch(() => undefined); // the connection logs the outage
  }

  changed({ joined, gone }: { joined: Member[]; gone: Member[] }): void {
    const { claims, directory, links, rebalancer, router } = this.#options;
    for (const member of joined) this.#joined(member);
    for (const { incarnation } of gone) {
      claims.gone(incarnation);
      directory.evictOwner(incarnation);
      links.removePeer(incarnation);
      void rebalancer.takeOver(incarnation);
    }
    rebalancer.rebalanceSoon();
    router.wakeWaiters();
  }

  linked(incarnation: string): void {
    this.#options.feed.linked(incarnation);
    if (this.#options.membership.find(incarnation) === undefined) this.refreshMembers();
    this.#options.rebalancer.rebalanceSoon();
  }

  /**
   * The peer's link closed and its port refuses: its lease is not waited for, because the epoch makes a take-over safe.
   * [architecture §4, Fail-over]
   */
  died(incarnation: string): void {
    const { self, membership, log, counters } = this.#options;
    if (incarnation === self.incarnation) return;
    log.warn({ peer: incarnation, node: membership.find(incarnation)?.nodeId }, 'node.dead');
    counters.increment('peers_dead_total');
    void membership
      .endLease(incarnation)
      .catch((error: unknown) => log.warn({ error: asError(error) }, 'node.dead-not-told'));
    // Does not wait for the answer: later look-ups use the same connection, so Redis runs them after this.
    membership.drop(incarnation);
  }

  #joined(member: Member): void {
    const { membership, links } = this.#options;
    links.addPeer(member);
    // An address has one process: its earlier, unlinked holder is dead, although the port answers again.
    for (const { incarnation, url } of membership.live())
      if (url === member.url && incarnation !== member.incarnation && links.isMissed(incarnation))
        this.died(incarnation);
  }
}
