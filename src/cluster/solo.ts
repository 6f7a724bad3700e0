/** The cluster's ports for one node without Redis: every channel is owned here. [architecture §2.3] */
import type {
  ChannelAsk,
  ChannelMessage,
  ChannelReplies,
  ChannelTell,
} from '../../actors/channel/messages.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import type { Host } from '../../actors/runtime/host.ts';
import type { OwnershipGrant, Ownership } from '../../actors/runtime/ports.ts';
import { OwnerLost, fault } from '../kernel/faults.ts';
import type { ChannelRouter } from '../use-cases/ports/messages.ts';

/** Mints epochs in the store; nobody else can own anything, so a lease never ends. */
export function soloOwnership(mintEpoch: (channelId: string) => Promise<number>): Ownership {
  return {
    async acquire(channelId): Promise<OwnershipGrant> {
      return { epoch: await mintEpoch(channelId), isValid: () => true };
    },
    release: () => Promise.resolve(),
  };
}

/** `ask` and `tell` straight into the host of this node. */
export function soloRouter(host: Host<unknown, ChannelMessage, unknown>): ChannelRouter {
  return {
    async ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]> {
      try {
        const activation = host.live(channelId) ?? (await host.activate(channelId));
        // The actor answers each ask with the reply of its type: the one place where that is taken on trust.
        return (await activation.ask(ask)) as ChannelReplies[A['type']];
      } catch (error) {
        if (!(error instanceof ActivationGone)) throw error;
        // 503 says that nothing was sent: only who was never looked at may hear it. [faults: I3]
        throw error.untouched ? fault('unavailable') : new OwnerLost(error.message);
      }
    },
    tell(channelId, message: ChannelTell) {
      if (message.type === 'wake')
        host.activate(channelId).then((activation) => activation.tell(message), ignored);
      else host.live(channelId)?.tell(message);
    },
  };
}

/** A channel that can't be woken now is found again by the next sweep. */
function ignored(): void {
  return undefined;
}
