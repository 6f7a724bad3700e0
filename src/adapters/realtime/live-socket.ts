/** What crosses a connection of the live feed, and what is known of who is at its other end. */
import type { Namespace, Server, Socket } from 'socket.io';
import type { Envelope } from '../../domain/events/built.ts';
import type { Credential } from './credential.ts';
import type { LiveDelivery, LoggedEntry } from './live-delivery.ts';

interface ServerEvents {
  event: (envelope: Envelope, delivery: LiveDelivery) => void;
  /** From here on until `caught_up` comes what was missed, mixed with what happens now. */
  catching_up: (from: { since: string }) => void;
  logged: (entry: LoggedEntry) => void;
  /** Nothing from before this time is outstanding. */
  caught_up: (until: { at: string }) => void;
}
type ClientEvents = Record<string, never>;
interface Subscriber {
  accountId: string;
  shown: Credential;
  /** Ms; null: it has not been here before. */
  since: number | null;
}

export type LiveServer = Server<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
export type LiveNamespace = Namespace<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
export type LiveSocket = Socket<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
