/** Who is calling: the account and the key it used. */
export interface Caller {
  accountId: string;
  apiKeyId: string;
  /** The id of the request in hand; undefined: no request is waiting for an answer. */
  requestId?: string;
  /** Who acts, at the portal; undefined: a program. */
  person?: { id: string; email: string };
}
