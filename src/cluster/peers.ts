/** What follows when a peer comes, goes or dies. */
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Directory } from './directory.ts';
import type { Feed } from './feed.ts';
import type { Links } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import type { Rebalancer } from './rebalancer.ts';
import type { Router } from './router.ts';

interface PeersOptions {
  self: Member;
  directory: Directory;
  membership: Membership;
  links: Pick<Links, 'addPeer' | 'removePeer' | 'isMissed'>;
  feed: Pick<Feed, 'linked'>;
  rebalancer: Rebalancer;
  router: Pick<Router, 'wakeWaiters'>;
  log: Log;
  counters: Counters;
}

export class Peers {
  readonly #options: PeersOptions;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** Asks Redis who is there. */
  look(): void {
    void this.#options.membership.refresh().catch(() => undefined); // a Redis that is away says it once, in its own log line
  }

  changed({ joined, gone }: { joined: Member[]; gone: Member[] }): void {
    const { directory, links, rebalancer, router } = this.#options;
    for (const member of joined) this.#joined(member);
    for (const { incarnation } of gone) {
      directory.evictOwner(incarnation);
      links.removePeer(incarnation);
      void rebalancer.takeOver(incarnation);
    }
    rebalancer.rebalanceSoon();
    router.wakeWaiters();
  }

  linked(incarnation: string): void {
    this.#options.feed.linked(incarnation);
    if (this.#options.membership.find(incarnation) === undefined) this.look();
    this.#options.rebalancer.rebalanceSoon();
  }

  /** A closed link and a refused reconnect: the lease is not waited for; the epoch keeps it safe. [architecture §4, Fail-over] */
  died(incarnation: string): void {
    const { self, directory, membership, log, counters } = this.#options;
    if (incarnation === self.incarnation) return;
    log.warn({ peer: incarnation, node: membership.find(incarnation)?.nodeId }, 'node.dead');
    counters.increment('peers_dead_total');
    void directory
      .declareDead(incarnation)
      .catch((error: unknown) => log.warn({ error: asError(error) }, 'node.dead-not-told'));
    // Claims that follow are not held up for the answer: on one connection they come behind it.
    membership.drop(incarnation);
  }

  #joined(member: Member): void {
    const { membership, links } = this.#options;
    links.addPeer(member);
    // One process listens on an address: who had it before and is missed is dead, though the port answers again.
    for (const { incarnation, url } of membership.live())
      if (url === member.url && incarnation !== member.incarnation && links.isMissed(incarnation))
        this.died(incarnation);
  }
}
