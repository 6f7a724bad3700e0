/** Who is calling: the account and the key it used. */
export interface Caller {
  accountId: string;
  apiKeyId: string;
}
