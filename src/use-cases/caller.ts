/** Who is calling: the account and the key it used. */
export interface Caller {
  accountId: string;
  apiKeyId: string;
  /** Of what they ask for just now; undefined: nobody is waiting for an answer. */
  requestId?: string;
}
