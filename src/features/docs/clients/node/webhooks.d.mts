import type { Event } from './api.mjs';

/** A POST that is not a delivery of the service, or not a recent one: answer it 401. */
export declare class WebhookError extends Error {}

/** Of a Headers object, or of an object with lower-case names, as Node's servers make it. */
type GivenHeaders = { get(name: string): string | null } | { [name: string]: string | string[] | undefined };

/**
 * Returns the event of a delivery. Throws WebhookError if it was not signed with the secret, or longer ago than the tolerance.
 * `rawBody`: the bytes as they came, before anything parses them.
 */
export declare function verifyWebhook(
  secret: string,
  rawBody: string | Uint8Array,
  headers: GivenHeaders,
  options?: { toleranceSeconds?: number; now?: number },
): Event;

/** The same by `X-Webhook-Signature`, which covers the body alone: whoever has caught a delivery can repeat it for ever. */
export declare function verifyBody(
  secret: string,
  rawBody: string | Uint8Array,
  headers: GivenHeaders,
): Event;
