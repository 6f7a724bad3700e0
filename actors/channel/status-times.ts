import { limits } from './limits.ts';
import type { ChannelState } from './state.ts';

/**
 * The `timestamp` of a status event: upstream's, but never earlier than the one before of the same message. Upstream counts in
 * seconds, we in milliseconds, and each by its own clock. `stored` is what the message's record says; what was decided since
 * then, here, is remembered for the latest messages. [operator-interface §4: status events of one message]
 */
export function statusTime(
  { facts: { statusTimes } }: Pick<ChannelState, 'facts'>,
  messageId: string,
  at: number,
  stored: number | null,
): number {
  const time = Math.max(at, stored ?? 0, statusTimes.get(messageId) ?? 0);
  statusTimes.delete(messageId); // to the end: the oldest are first
  statusTimes.set(messageId, time);
  if (statusTimes.size > limits.statusTimes) {
    const [oldest] = statusTimes.keys();
    if (oldest !== undefined) statusTimes.delete(oldest);
  }
  return time;
}
