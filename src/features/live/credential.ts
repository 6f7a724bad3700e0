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

/** A time without a zone is UTC: the zone of this machine, or `TZ`, must not say which events a client has missed. */
const withoutZone = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/;

/** In ms; null if `since` is absent, undefined if it is no time. */
export function sinceIn({ since }: { since?: unknown }): number | null | undefined {
  if (since === undefined || since === null) return null;
  if (typeof since !== 'string' || since.length > 40) return undefined;
  const at = Date.parse(withoutZone.test(since) ? `${since}Z` : since);
  return Number.isNaN(at) ? undefined : at;
}
