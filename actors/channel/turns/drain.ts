import type { ChannelEffect } from '../effects.ts';
import type { ChannelState } from '../state.ts';

/** Claims nothing more. Sends that were never claimed are turned away: nothing of them is stored, nothing was sent. */
export function onDrain(state: ChannelState): ChannelEffect[] {
  state.draining = true;
  const effects: ChannelEffect[] = [];
  for (const send of state.sends.values()) {
    if (send.stage !== 'waiting') continue;
    state.sends.delete(send.messageId);
    if (send.ask !== null) effects.push({ effect: 'refuse', ask: send.ask, code: 'unavailable', facts: {} });
  }
  for (const line of state.lines.values()) line.waiting = [];
  return effects;
}
