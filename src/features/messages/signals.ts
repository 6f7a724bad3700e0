/** Signals about a received message: it was read, or somebody writes an answer. */
import type { Caller } from '../../rules/caller.ts';
import type { Signal } from '../../upstream/signal-calls.ts';
import { requireReachable } from '../channels/index.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { requireReceived } from './referred.ts';

interface SignalAsked {
  channelId: string;
  /** Our id of a received message. */
  messageId: string;
  signal: Signal;
}

/**
 * Makes one call to upstream, and returns when it has succeeded: nothing is queued, because a signal that comes late is worth nothing. Throws
 * 402 `account_suspended`, 404 `not_found`, 400 `channel_inactive`, `channel_without_token`, 402 `licence_inactive`, 400 `unknown_message`
 * for a message that was sent or echoed, and upstream's faults: 400 `upstream_refused`, 429 `upstream_busy`, 502 `upstream_failed`.
 */
export async function sendSignal(given: World, caller: Caller, asked: SignalAsked): Promise<void> {
  const { channelId, messageId, signal } = asked;
  const world = underRequest(given, caller.requestId);
  const { channel } = await requireReachable(world, caller, channelId);
  await world.signals.signal(channel, signal, await requireReceived(world, channel, messageId));
}
