/** The caller of a request: its account and API key. */
export interface Caller {
  accountId: string;
  apiKeyId: string;
  /** Id of the current request; undefined outside a request. */
  requestId?: string;
  /** The person who is signed in at the portal; undefined for an API client. */
  person?: { id: string; email: string };
}
