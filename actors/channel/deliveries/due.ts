/** Alarm: deliveries that have become due get ready, deliveries past their deadline fail. [spec: Delivery and retry of webhooks] */
import type { ChannelEffect } from '../messages.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { giveUp } from './attempts.ts';
import { startPosts } from './post.ts';
import type { OpenDelivery } from './state.ts';
import { moveDelivery } from './state.ts';

export function wakeDeliveries(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const open of state.deliveries.open.values()) {
    if (open.stage !== 'posting' && open.stage !== 'recording') effects.push(...lookAt(state, open, now));
    if (effects.length < limits.turn) continue;
    wakeBy(state, now + 1);
    break;
  }
  effects.push(...startPosts(state, now));
  return effects;
}

export function makeReady(state: ChannelState, open: OpenDelivery, now: number): void {
  if (open.delivery.nextDueAt > now) {
    wakeBy(state, open.delivery.nextDueAt);
    return;
  }
  moveDelivery(open, 'ready');
  state.deliveries.ready.push(open.delivery.id);
  wakeBy(state, failsAfter(state, open) + 1);
}

/** [spec: hard deadline] Also for a delivery that only waits behind other deliveries of a failing endpoint. */
function lookAt(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  if (now > failsAfter(state, open)) return giveUp(state, open, 'deadline passed', now);
  if (open.stage === 'pending') makeReady(state, open, now);
  else wakeBy(state, failsAfter(state, open) + 1);
  return [];
}

function failsAfter({ rules }: ChannelState, { delivery: { firstTriedAt } }: OpenDelivery): number {
  return firstTriedAt === null ? Infinity : firstTriedAt + rules.webhookDeadlineMs;
}
