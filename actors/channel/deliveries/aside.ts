/**
 * Which POST has ended its node. A claim counts it on record; an outcome takes the count back. One that an owner has begun and did
 * not end is posted by the next owner alone on its node, so that a second crash has one cause; then it is put aside, and given up
 * for the client. [faults: 139]
 */
import type { Turn } from '../../runtime/actor.ts';
import { enabledAmong } from '../eligibility.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelAsk, ChannelEffect } from '../messages.ts';
import type { ChannelState } from '../state.ts';
import { giveUp } from './attempts.ts';
import { startPosts } from './post.ts';

/** It is on record for operators, or its payload can't be read. */
export function onDeliveryAside(state: ChannelState, deliveryId: string, now: number): ChannelEffect[] {
  const open = state.deliveries.open.get(deliveryId);
  const effects = open?.stage === 'posting' ? giveUp(state, open, 'put aside', now) : [];
  return [...effects, ...startPosts(state, now)];
}

/** An operator has it told anew, under an id of its own. */
export function onTellAgain(
  { settings, draining }: ChannelState,
  { told }: Extract<ChannelAsk, { type: 'tell-again' }>,
  { ask }: Turn,
): ChannelEffect[] {
  if (ask === null) return [];
  if (settings === null || draining)
    return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }];
  const reply = { asks: [ask], reply: { status: 'retrying' as const } };
  return [
    commitUntilStored([], { events: [told], deliveries: enabledAmong(settings, [told]), settings, reply }),
  ];
}
