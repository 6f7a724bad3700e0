/** The nodes as operators see them: each node reports its own status, and drains when another asks it to. */
import type { Clock } from '../kernel/clock.ts';
import { fault } from '../kernel/faults.ts';
import { asRecord } from '../kernel/json.ts';
import type { OwnerStore } from '../storage/owners.ts';
import type { ClusterView, LeaseState, NodeInsight, NodeRun, NodeStatus } from './cluster-view.ts';
import type { Claims } from './claims.ts';
import type { Answer, Link } from './link.ts';
import type { ChannelHost } from './local.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import type { Placement } from './placement.ts';
import type { NodeAsk } from './wire.ts';

/** An operator waits for the page: a node that does not answer in time is shown without a status. */
const statusMs = 2_000;

interface NodesViewParts {
  self: Member;
  host: Pick<ChannelHost, 'size' | 'figures' | 'live'>;
  claims: Pick<Claims, 'find'>;
  owners: Pick<OwnerStore, 'countOwnedBy'>;
  membership: Pick<Membership, 'live' | 'find'>;
  placement: Pick<Placement, 'nodeFor'>;
  links: { get(incarnation: string): Pick<Link, 'askNode'> | undefined };
  clock: Clock;
  run: () => NodeRun;
  lease: () => LeaseState;
  peersWithoutLink: () => number;
  drainHere: () => Promise<void>;
}

export class NodesView implements Pick<ClusterView, 'nodes' | 'drain' | 'whereIs'> {
  readonly #parts: NodesViewParts;

  constructor(parts: NodesViewParts) {
    this.#parts = parts;
  }

  /** The live nodes; `channelsOwned` is 0 when the store does not answer. */
  readonly nodes = (): Promise<NodeInsight[]> =>
    Promise.all(this.#parts.membership.live().map((member) => this.#insightOf(member)));

  readonly drain: ClusterView['drain'] = async (nodeId) => {
    const { self, drainHere } = this.#parts;
    const node = nodeId === null ? self : this.#newest(nodeId);
    if (node === undefined) throw fault('not_found', { what: 'Node' });
    if (node.incarnation === self.incarnation) return drainHere();
    // A node of an older build answers neither ask.
    if ((await this.#askStatus(node)) === null) throw fault('unavailable');
    const answer = await this.#ask(node, 'drain');
    if (!isReply(answer)) throw fault('unavailable');
  };

  /** The node that owns the channel, or would own it. */
  readonly whereIs = async (channelId: string): Promise<string> => {
    const { self, host, claims, membership, placement } = this.#parts;
    if (host.live(channelId) !== undefined) return self.nodeId;
    const incarnation = await claims.find(channelId).catch(() => null);
    const owner = incarnation === null ? undefined : membership.find(incarnation);
    return (owner ?? placement.nodeFor(channelId) ?? self).nodeId;
  };

  /** Answers a peer. */
  async answer(ask: NodeAsk): Promise<NodeStatus | null> {
    if (ask === 'status') return this.#status();
    await this.#parts.drainHere();
    return null;
  }

  async #insightOf(member: Member): Promise<NodeInsight> {
    const { self, host, owners, links } = this.#parts;
    const { nodeId, startedAt, draining, incarnation } = member;
    const isSelf = incarnation === self.incarnation;
    const isLinked = isSelf || links.get(incarnation) !== undefined;
    const [channelsOwned, status] = isSelf
      ? [host.size, this.#status()]
      : await Promise.all([owners.countOwnedBy(incarnation).catch(() => 0), this.#askStatus(member)]);
    return { nodeId, startedAt, draining, channelsOwned, isLinked, status };
  }

  /** After a restart, the old run of a node may still be listed for the life of a lease. */
  #newest(nodeId: string): Member | undefined {
    const named = this.#parts.membership.live().filter((member) => member.nodeId === nodeId);
    return named.toSorted((a, b) => b.startedAt - a.startedAt)[0];
  }

  #status(): NodeStatus {
    const { host, run, lease, peersWithoutLink } = this.#parts;
    return { ...run(), lease: lease(), ...readQueues(host), peersWithoutLink: peersWithoutLink() };
  }

  async #askStatus(member: Member): Promise<NodeStatus | null> {
    const answer = await this.#ask(member, 'status', statusMs);
    return isReply(answer) ? parseStatus(answer.reply) : null;
  }

  /** `withinMs`: shorter than the link's own deadline. */
  async #ask({ incarnation }: Member, ask: NodeAsk, withinMs = Infinity): Promise<Answer> {
    const { links, clock } = this.#parts;
    const asking = links.get(incarnation)?.askNode(ask) ?? 'not-sent';
    if (withinMs === Infinity || asking === 'not-sent') return asking;
    return new Promise((resolve) => {
      const cancel = clock.after(withinMs, () => resolve('closed'));
      void asking.then((answer) => {
        cancel();
        resolve(answer);
      });
    });
  }
}

/** What waits on a node, summed up over its channels. */
export function readQueues(
  host: Pick<ChannelHost, 'figures'>,
): Omit<NodeStatus, keyof NodeRun | 'lease' | 'peersWithoutLink'> {
  const figures = host.figures();
  return {
    sendsOpen: figures.sends_open ?? 0,
    sendsWaiting: figures.sends_waiting ?? 0,
    oldestSendMs: (figures.sends_oldest_open_seconds ?? 0) * 1_000,
    deliveriesPending: figures.deliveries_pending ?? 0,
    oldestDeliveryMs: (figures.deliveries_oldest_pending_seconds ?? 0) * 1_000,
    receiversFailing: figures.receivers_failing ?? 0,
  };
}

function isReply(answer: Answer): answer is Extract<Answer, { reply: unknown }> {
  return typeof answer === 'object' && 'reply' in answer;
}

const leaseStates: readonly LeaseState[] = ['alone', 'held', 'unsure', 'lost'];

/** null: another build's format. */
function parseStatus(reply: unknown): NodeStatus | null {
  const fields = asRecord(reply) ?? {};
  const lease = leaseStates.find((state) => state === fields['lease']);
  const { version, commit } = fields;
  if (lease === undefined || typeof version !== 'string') return null;
  const numberIn = (name: keyof NodeStatus): number => {
    const value = fields[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : 0;
  };
  return {
    version: version.slice(0, 64),
    commit: typeof commit === 'string' ? commit.slice(0, 64) : 'unknown',
    lease,
    busy: numberIn('busy'),
    memoryBytes: numberIn('memoryBytes'),
    sendsOpen: numberIn('sendsOpen'),
    sendsWaiting: numberIn('sendsWaiting'),
    oldestSendMs: numberIn('oldestSendMs'),
    deliveriesPending: numberIn('deliveriesPending'),
    oldestDeliveryMs: numberIn('oldestDeliveryMs'),
    receiversFailing: numberIn('receiversFailing'),
    peersWithoutLink: numberIn('peersWithoutLink'),
  };
}
