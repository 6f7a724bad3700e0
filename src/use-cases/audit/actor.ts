import type { ActorKind } from '../ports/audit.ts';

/** The actor of a request, as `src/http` identifies it. */
export interface Actor {
  kind: Exclude<ActorKind, 'service'>;
  /** A person's e-mail address, a key's id; null: an operator, or a person who has not signed in. */
  name: string | null;
  /** IP address of the client. */
  address: string;
  requestId: string;
}
