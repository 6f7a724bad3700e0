/** Messages of a live feed connection, and what is known of its subscriber. */
import type { Namespace, Server, Socket } from 'socket.io';
import type { Envelope } from '../../domain/events/built.ts';
import type { Credential } from './credential.ts';
import type { LiveDelivery, LoggedEntry } from './live-delivery.ts';

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
