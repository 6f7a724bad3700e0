/** A live feed connection: its messages, what is known of its subscriber, and its end. */
import type { Namespace, Server, Socket } from 'socket.io';
import type { Envelope } from '../../rules/events/built.ts';
import type { Signatures } from '../../rules/webhooks/signature.ts';
import type { Credential } from './credential.ts';

/** What a client needs beside the envelope to forward it: the headers of the webhook. */
export interface LiveDelivery {
  webhook_id: string;
  /** As in `X-Webhook-Signature`; null if unsigned. */
  signature: string | null;
  /** As in `webhook-timestamp` and `webhook-signature`; null if unsigned. */
  webhook_timestamp: number | null;
  webhook_signature: string | null;
  /** ISO time of publication: the `since` of a reconnect. */
  at: string;
}

export function liveDeliveryOf(id: string, at: string, signatures: Signatures | null): LiveDelivery {
  const { ofBody = null, ofParts = null, timestamp = null } = signatures ?? {};
  return { webhook_id: id, signature: ofBody, webhook_timestamp: timestamp, webhook_signature: ofParts, at };
}

/** A delivery that ended while the subscriber was away: its entry in the delivery log, because its content is erased. */
export interface LoggedEntry {
  webhook_id: string;
  event: string;
  channel_id: string;
  channel_type: string;
  message_id: string;
  state: string;
  created_at: string;
}

interface ServerEvents {
  event: (envelope: Envelope, delivery: LiveDelivery) => void;
  /** Starts a catch-up: until `caught_up`, missed events arrive mixed with live ones. */
  catching_up: (from: { since: string }) => void;
  logged: (entry: LoggedEntry) => void;
  /** No event from before this time is outstanding. */
  caught_up: (until: { at: string }) => void;
}
type ClientEvents = Record<string, never>;
interface Subscriber {
  accountId: string;
  credential: Credential;
  /** Start of the catch-up in ms; null: none requested. */
  since: number | null;
}

export type LiveServer = Server<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
export type LiveNamespace = Namespace<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
export type LiveSocket = Socket<ClientEvents, ServerEvents, ClientEvents, Subscriber>;

/**
 * Ends a connection at once: a peer that ignores the closing handshake, or no longer polls for the news that it closes, would keep it for half a
 * minute.
 */
export function terminate(conn: Socket['conn']): void {
  conn.close(true);
  const { transport } = conn;
  if ('socket' in transport && isTerminable(transport.socket)) transport.socket.terminate();
  endPolling(transport);
}

/**
 * Ends the polling transport of a connection that upgrades while it is closing: engine.io drops the transport, but leaves its timer
 * running, which waits half a minute for another poll.
 */
export function endPollingOnUpgrade(conn: Socket['conn']): void {
  const { transport } = conn;
  conn.once('upgrade', () => endPolling(transport));
}

/** A polling transport has `shouldClose` while it is closing and waits for a poll to answer. */
function endPolling(transport: object): void {
  if ('shouldClose' in transport && typeof transport.shouldClose === 'function') transport.shouldClose();
}

function isTerminable(value: unknown): value is { terminate(): void } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'terminate' in value &&
    typeof value.terminate === 'function'
  );
}
