/** What a client needs beside the envelope to forward it: the headers of the webhook. */
export interface LiveDelivery {
  webhook_id: string;
  /** As in `X-Webhook-Signature`; null if unsigned. */
  signature: string | null;
  /** ISO time of publication: the `since` of a reconnect. */
  at: string;
}

/** A delivery that ended while the subscriber was away: its entry in the delivery log, because its content is erased. */
export interface LoggedEntry {
  webhook_id: string;
  event: string;
  channel_id: string;
  channel_type: string;
  message_id: string;
  state: string;
  created_at: string;
}
