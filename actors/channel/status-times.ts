import { limits } from './limits.ts';
import type { ChannelState } from './state.ts';

/**
 * The `timestamp` of a status event: upstream's time, but never earlier than that of the previous status of the same message. Upstream
 * counts in seconds, this service in milliseconds, and their clocks differ. `stored`: the time in the message's record; later decisions of
 * this owner are remembered for the latest messages. [operator-interface §4: status events of one message]
 */
export function statusTime(
  { facts: { statusTimes } }: Pick<ChannelState, 'facts'>,
  messageId: string,
  at: number,
  stored: number | null,
): number {
  const time = Math.max(at, stored ?? 0, statusTimes.get(messageId) ?? 0);
  statusTimes.delete(messageId); // moves it to the end: the oldest come first
  statusTimes.set(messageId, time);
  if (statusTimes.size > limits.statusTimes) {
    const [oldest] = statusTimes.keys();
    if (oldest !== undefined) statusTimes.delete(oldest);
  }
  return time;
}
