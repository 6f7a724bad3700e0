import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect } from '../effects.ts';
import type { ChannelState } from '../state.ts';

/** [operator-interface §3: owner, epoch, queue depths] */
export function onInspect(state: ChannelState, { ask }: Turn): ChannelEffect[] {
  if (ask === null) return [];
  let sendsWaiting = 0;
  for (const send of state.sends.values()) if (send.stage === 'waiting') sendsWaiting += 1;
  return [
    {
      effect: 'reply',
      asks: [ask],
      reply: {
        epoch: state.epoch,
        sendsOpen: state.sends.size,
        sendsWaiting,
        deliveriesPending: state.deliveries.size,
        factsHeld: state.unmatched.size,
      },
    },
  ];
}
