/** The calls that show a person what the business does, besides messages. */
import type { Channel } from '../rules/channels/channel.ts';

/** `read`: their message was read. `typing`: somebody writes an answer; chatapp shows the message as read too. */
export type Signal = 'read' | 'typing';

/** A message of theirs, and who wrote it. */
export interface Signalled {
  upstreamId: string;
  person: string;
}

export interface SignalUpstream {
  /**
   * Makes one call; it is not repeated. Throws Fault `upstream_refused` if a repetition would be refused too, `upstream_busy` (upstream
   * limits such calls), or `upstream_failed` (failure, or unknown outcome). [upstream §3.1, §3.3]
   */
  signal(channel: Channel, signal: Signal, about: Signalled): Promise<void>;
}
