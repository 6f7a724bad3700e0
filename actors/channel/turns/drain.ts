import type { ChannelEffect } from '../effects.ts';
import type { ChannelState } from '../state.ts';
import { forgetSend } from '../state.ts';

/** Claims nothing more. Sends that were never claimed are turned away: nothing of them is stored, nothing was sent. */
export function onDrain(state: ChannelState): ChannelEffect[] {
  state.draining = true;
  const effects: ChannelEffect[] = [];
  for (const { messageId, stage, asks } of state.sends.values()) {
    if (stage !== 'waiting') continue;
    forgetSend(state, messageId);
    effects.push({ effect: 'refuse', asks, code: 'unavailable', details: {} });
  }
  for (const line of state.lines.values()) line.waiting = [];
  return effects;
}
