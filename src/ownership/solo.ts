/** What `cluster.ts` makes, for a single node without Redis: it owns every channel. [architecture §2.3] */
import type { ChannelAsk, ChannelReplies, ChannelRouter } from '../../actors/channel/asks.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import type { OwnershipGrant, Ownership } from '../../actors/runtime/actor.ts';
import { OwnerLost, fault } from '../kernel/faults.ts';
import type { ClusterView, NodeRun } from './cluster-view.ts';
import { askHere, notOurs, tellHere } from './local.ts';
import type { ChannelHost } from './local.ts';
import { readQueues } from './nodes-view.ts';

const always = (): boolean => true;

/** Mints epochs in the store; there is no other owner, so a grant never ends. */
export function soloOwnership(mintEpoch: (channelId: string) => Promise<number>): Ownership {
  return {
    async acquire(channelId): Promise<OwnershipGrant> {
      return { epoch: await mintEpoch(channelId), isValid: always, isSure: always };
    },
    release: () => Promise.resolve(),
  };
}

/** `ask` and `tell` go directly to the host of this node. */
export function soloRouter(host: ChannelHost): ChannelRouter {
  return {
    async ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]> {
      try {
        const reply = await askHere(host, channelId, ask);
        if (reply === notOurs) throw fault('unavailable');
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the actor answers each ask with the reply of its type
        return reply as ChannelReplies[A['type']];
      } catch (error) {
        if (!(error instanceof ActivationGone)) throw error;
        // 503 means that nothing was sent, so it may answer only an ask that no turn has seen. [faults: I3]
        throw error.untouched ? fault('unavailable') : new OwnerLost(error.message);
      }
    },
    // If the channel can't be activated now, the next sweep finds it again.
    tell: (channelId, message) => tellHere(host, channelId, message),
  };
}

interface Alone {
  nodeId: string;
  startedAt: number;
  drainBudgetMs: number;
  run: () => NodeRun;
}

/** Operators' view of the single node. */
export function soloView(host: ChannelHost, { nodeId, startedAt, drainBudgetMs, run }: Alone): ClusterView {
  return {
    async nodes() {
      const status = { ...run(), lease: 'alone', ...readQueues(host), peersWithoutLink: 0 } as const;
      const { size: channelsOwned, isDraining: draining } = host;
      return [{ nodeId, startedAt, channelsOwned, draining, isLinked: true, status }];
    },
    whereIs: () => Promise.resolve(nodeId),
    async drain(asked) {
      if (asked !== null && asked !== nodeId) throw fault('not_found', { what: 'Node' });
      await host.drain(drainBudgetMs);
    },
    changed: () => undefined,
  };
}
