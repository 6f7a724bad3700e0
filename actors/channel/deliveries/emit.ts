import type { Turn } from '../../runtime/actor.ts';
import { enabledAmong } from '../eligibility.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, ChannelMessage } from '../messages.ts';
import type { ChannelState } from '../state.ts';
import { notAskedFor } from './retry.ts';

/**
 * An event that no fact of upstream's carries: an operator emits one again, under a new id, or something changed. What is emitted again is of
 * one receiver alone: the others have had it.
 */
export function onEmit(
  { settings, draining }: ChannelState,
  { told }: Extract<ChannelMessage, { type: 'emit' }>,
  { ask }: Turn,
): ChannelEffect[] {
  if (ask === null) return [];
  if (settings === null || draining)
    return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }];
  const reply = { asks: [ask], reply: { status: 'emitted' as const } };
  const deliveries = enabledAmong(settings, [told]);
  // Nobody else gets it: who asks must not take it for told.
  if (told.again !== undefined && deliveries.length === 0) return [notAskedFor(ask)];
  const { channel, subscription } = settings;
  const to = told.again === undefined ? settings : { channel, subscription };
  return [commitUntilStored([], { events: [told], deliveries, settings: to, reply })];
}
