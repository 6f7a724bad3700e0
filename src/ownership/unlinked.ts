/**
 * Peers that Redis calls alive and to which there is no link: their addresses are wrong, or the network lets nothing through. Both ends
 * work alone, and what one asks of the other's channels waits and ends `queued`, so operators must hear of it. [faults: 300]
 */
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';
import type { Links } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';

const lookEveryMs = 5_000;
/** A little less than a minute, so that every twelfth look tells. */
const tellEveryMs = 60_000 - lookEveryMs / 2;

interface UnlinkedPeersOptions {
  self: Member;
  membership: Pick<Membership, 'live'>;
  links: Pick<Links, 'missedMs'>;
  clock: Clock;
  log: Log;
}

export class UnlinkedPeers {
  readonly #options: UnlinkedPeersOptions;
  readonly #tell: (incarnation: string) => void;
  #cancel: () => void = () => undefined;

  constructor(options: UnlinkedPeersOptions) {
    this.#options = options;
    this.#tell = onceAWhile(options.clock, tellEveryMs, (incarnation) => this.#log(incarnation));
  }

  /** Of live peers, those without a link for as long as a dead one may still be listed. */
  count(): number {
    return this.#list().length;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(lookEveryMs, () => {
      for (const { incarnation } of this.#list()) this.#tell(incarnation);
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  #list(): Member[] {
    const { self, membership, links } = this.#options;
    return membership
      .live()
      .filter(
        ({ incarnation, leaseTtlMs }) =>
          incarnation !== self.incarnation && links.missedMs(incarnation) >= leaseTtlMs,
      );
  }

  #log(incarnation: string): void {
    const { self, membership, links, log } = this.#options;
    const peer = membership.live().find((member) => member.incarnation === incarnation);
    if (peer === undefined) return;
    const seconds = Math.round(links.missedMs(incarnation) / 1_000);
    log.warn(
      { peer: incarnation, node: peer.nodeId, url: peer.url, own: self.url, seconds },
      'peer.unlinked',
    );
  }
}
