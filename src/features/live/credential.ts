import type { IncomingMessage } from 'node:http';

/** What a connection authenticates with: an API key, or the session of a person who is signed in at the portal. */
export interface Credential {
  by: 'key' | 'session';
  secret: string;
}

/** Whom a credential belongs to. */
export interface LiveCaller {
  accountId: string;
  /** Whether it may see messages, and so their events: a key needs the scope `messages:read`. */
  mayRead: boolean;
}

/** Returns null if the handshake presents neither. `sessionIn`: reads the secret of a portal session from a request. */
export function credentialIn(
  auth: { apiKey?: unknown },
  request: IncomingMessage,
  sessionIn: ((request: IncomingMessage) => string | null) | undefined,
): Credential | null {
  if (typeof auth.apiKey === 'string') return { by: 'key', secret: auth.apiKey };
  if (auth.apiKey !== undefined) return null;
  const secret = sessionIn?.(request) ?? null;
  return secret === null ? null : { by: 'session', secret };
}

/** In ms; null if `since` is absent, undefined if it is no time. */
export function sinceIn({ since }: { since?: unknown }): number | null | undefined {
  if (since === undefined || since === null) return null;
  if (typeof since !== 'string' || since.length > 40) return undefined;
  const at = Date.parse(since);
  return Number.isNaN(at) ? undefined : at;
}
