/** What a forwarder adds to the envelope's JSON: the headers of the delivery. */
export interface LiveDelivery {
  webhook_id: string;
  /** As `X-Webhook-Signature`; null: unsigned. */
  signature: string | null;
  /** When it was shown, ISO: where a reconnect goes on from. */
  at: string;
}

/** A delivery that ended while nobody looked: its line of the delivery log, since its content is erased. */
export interface LoggedEntry {
  webhook_id: string;
  event: string;
  channel_id: string;
  channel_type: string;
  message_id: string;
  state: string;
  created_at: string;
}
