import type { ActorKind } from '../ports/audit.ts';

/** Who asks, as the door knows it. */
export interface Actor {
  kind: Exclude<ActorKind, 'service'>;
  /** A person's e-mail address, a key's id; null: an operator, or a person who has not signed in. */
  name: string | null;
  /** Of the client. */
  address: string;
  requestId: string;
}
