/**
 * Which POST has ended its node. A claim counts the POST in the store; an outcome takes the count back. If an owner began a POST and never
 * recorded its end, the next owner posts it while no other suspect runs on its node, so that a second crash has one cause; then the
 * delivery is quarantined, and given up for the client. [faults: 151]
 */
import { isEnabled } from '../eligibility.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { cancel, giveUp } from './attempts.ts';
import { postNow, startPosts } from './post.ts';
import { moveDelivery } from './state.ts';
import type { OpenDelivery } from './state.ts';

export function onSuspect(
  state: ChannelState,
  { type, deliveryId }: Extract<EffectResult, { type: 'turn-came' | 'delivery-quarantined' }>,
  now: number,
): ChannelEffect[] {
  const open = state.deliveriesAtWork?.open.get(deliveryId);
  if (open?.stage !== 'suspect') return [];
  return type === 'turn-came' ? postInTurn(state, open, now) : endQuarantined(state, open, now);
}

/** Settings and draining may have changed during the wait. */
function postInTurn(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  const { settings, draining } = state;
  if (draining) return [];
  if (settings !== null)
    return [
      isEnabled(settings, open.delivery.event) ? postNow(state, open, settings) : cancel(state, open, now),
    ];
  moveDelivery(open, 'pending');
  wakeBy(state, now);
  return [];
}

/** The delivery is stored for operators, or its payload can't be decrypted. */
function endQuarantined(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  return [...giveUp(state, open, 'put aside', now, false), ...startPosts(state, now)];
}
