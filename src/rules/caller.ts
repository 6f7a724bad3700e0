/** `service`: the change follows from no request. */
export const actorKinds = ['operator', 'person', 'key', 'service'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** The caller of a request: its account and API key. */
export interface Caller {
  accountId: string;
  apiKeyId: string;
  /** Id of the current request; undefined outside a request. */
  requestId?: string;
  /** Who acts, for the audit log; undefined where a call changes nothing that the log records. */
  by?: Actor;
  /** The person who is signed in at the portal; undefined for an API client. */
  person?: { id: string; email: string };
}

/** A caller by API key, as long as the key is remembered. */
export interface KeyCaller extends Caller {
  /** Bits of the key's scopes: see `rules/scopes.ts`. */
  granted: number;
  /** End of the key (ms); null: none. */
  endsAt: number | null;
}

/** The actor of a request, as `src/http` identifies it. */
export interface Actor {
  kind: Exclude<ActorKind, 'service'>;
  /** A person's e-mail address, a key's id; null: an operator, or a person who has not signed in. */
  name: string | null;
  /** IP address of the client. */
  address: string;
  requestId: string;
}
