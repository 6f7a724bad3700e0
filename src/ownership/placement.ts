import { createHash } from 'node:crypto';
import type { Homes } from './homes.ts';
import type { LinkTo } from './links.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';

/** Which node should own a channel, as far as this node knows. */
export class Placement {
  readonly #self: Member;
  readonly #membership: Pick<Membership, 'placeable'>;
  readonly #links: LinkTo;
  readonly #homes: Pick<Homes, 'of'>;

  constructor({
    self,
    membership,
    links,
    homes,
  }: {
    self: Member;
    membership: Pick<Membership, 'placeable'>;
    links: LinkTo;
    homes: Pick<Homes, 'of'>;
  }) {
    this.#self = self;
    this.#membership = membership;
    this.#links = links;
    this.#homes = homes;
  }

  /** The channel's home, or chosen among the nodes that this node can reach; null: no node takes channels. */
  nodeFor(channelId: string, except?: ReadonlySet<string>): Member | null {
    const isReachable = ({ incarnation }: Member): boolean =>
      incarnation === this.#self.incarnation ||
      (this.#links.get(incarnation) !== undefined && except?.has(incarnation) !== true);
    const nodes = this.#membership.placeable().filter(isReachable);
    const home = this.#homes.of(channelId);
    return nodes.find(({ incarnation }) => incarnation === home) ?? chooseNode(channelId, nodes);
  }

  isSelf(owner: Member | null): boolean {
    return owner?.incarnation === this.#self.incarnation;
  }
}

/**
 * Rendezvous hashing: every channel has its own order of preference over the nodes, so that a node that joins or leaves moves only its
 * share. Hashes node names, not incarnations, so that a restarted node gets its channels back. null: there is no node.
 */
export function chooseNode<N extends { nodeId: string }>(channelId: string, nodes: readonly N[]): N | null {
  let best: N | null = null;
  let bestScore = -1n;
  for (const node of nodes) {
    const score = createHash('sha256').update(`${node.nodeId} ${channelId}`).digest().readBigUInt64BE();
    if (score > bestScore) {
      best = node;
      bestScore = score;
    }
  }
  return best;
}
