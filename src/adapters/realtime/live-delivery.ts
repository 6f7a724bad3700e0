/** What a forwarder adds to the envelope's JSON: the headers of the delivery. */
export interface LiveDelivery {
  webhook_id: string;
  /** As `X-Webhook-Signature`; null: unsigned. */
  signature: string | null;
}
