import { LRUCache } from 'lru-cache';
import type { WebhookPost } from '../rules/outside.ts';
import { sealContext } from '../kernel/sealed.ts';
import type { SealedText, Sealer } from '../kernel/sealed.ts';
import { readHeaders } from '../rules/webhooks/own-headers.ts';
import { hopHeader } from '../rules/webhooks/url.ts';
import { partsKey, signBody, signParts } from '../rules/webhooks/signature.ts';

/** Most opened secrets in the cache, and endpoints with headers of their own: up to 4 KB each. */
const maxSecrets = 2_048;
const maxOwnHeaders = 512;

/** Web application firewalls refuse a request without it (OWASP CRS, rule 920300). [faults: 540] */
const anyAnswer: readonly string[] = ['accept', '*/*'];

interface Opened {
  channelId: string;
  secret: string;
  /** Of `webhook-signature`. */
  key: Uint8Array;
}

/**
 * Makes the headers of attempts. Opening a secret costs 20 µs including garbage collection (a native cipher object), a fifth of a whole
 * POST, so opened secrets are cached by their sealed form. A rotation changes the sealed form, so each attempt signs with the secret that
 * is set at its time. [operator-interface §4]
 */
export class Headers {
  readonly #sealer: Sealer;
  readonly #secrets = new LRUCache<SealedText, Opened>({ max: maxSecrets });
  readonly #ownHeaders = new LRUCache<SealedText, { ownerId: string; headers: readonly string[] }>({
    max: maxOwnHeaders,
  });

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /**
   * Names and values alternating: undici takes this form without copying. `now` in ms, by the wall clock: receivers compare it with theirs.
   * Returns null if the secret, or headers of an endpoint, cannot be opened (its key is gone, or it belongs to another channel): an
   * unsigned POST would be worse than none.
   */
  of(post: WebhookPost, now: number): string[] | null {
    const timestamp = Math.floor(now / 1_000);
    const headers = [
      'content-type',
      'application/json',
      'user-agent',
      'Trunkline/1',
      hopHeader,
      '1',
      'X-Webhook-Id',
      post.deliveryId,
      'X-Webhook-Attempt',
      String(post.attempt),
      'X-Webhook-Timestamp',
      String(timestamp),
      'webhook-id',
      post.deliveryId,
      'webhook-timestamp',
      String(timestamp),
    ];
    const { requestId = null } = post;
    if (requestId !== null) headers.push('X-Request-Id', requestId);
    // [spec: Authentication 7] Without a secret there is no signature header.
    if (post.secret !== null && !this.#sign(headers, post, post.secret, timestamp)) return null;
    const own = post.headers == null ? anyAnswer : this.#own(post.headers.sealed, post.channelId);
    if (own === null) return null;
    headers.push(...own);
    return headers;
  }

  /** Those of an endpoint; null if they cannot be opened. */
  #own(sealed: SealedText, ownerId: string): readonly string[] | null {
    const known = this.#ownHeaders.get(sealed);
    if (known?.ownerId === ownerId) return known.headers;
    const text = open(this.#sealer, sealed, sealContext.endpointHeaders(ownerId));
    if (text === null) return null;
    const given = readHeaders(text);
    const headers = namesAccept(given) ? given : [...given, ...anyAnswer];
    this.#ownHeaders.set(sealed, { ownerId, headers });
    return headers;
  }

  /** Adds the signatures; false if the secret cannot be opened. [spec: Authentication 7, 8] */
  #sign(headers: string[], post: WebhookPost, sealed: SealedText, timestamp: number): boolean {
    const { channelId, body, deliveryId, previousSecret = null } = post;
    const current = this.#opened(sealed, channelId);
    if (current === null) return false;
    const parts = { deliveryId, timestamp, body };
    const ofParts = signParts(current.key, parts);
    headers.push('X-Webhook-Signature', signBody(current.secret, body));
    // For a receiver that does not know the new secret yet. An old one that cannot be opened is left out; the new one suffices.
    const previous = previousSecret === null ? null : this.#opened(previousSecret, channelId);
    if (previous !== null) headers.push('X-Webhook-Signature-Previous', signBody(previous.secret, body));
    const list = previous === null ? ofParts : `${ofParts} ${signParts(previous.key, parts)}`;
    headers.push('webhook-signature', list);
    return true;
  }

  #opened(sealed: SealedText, channelId: string): Opened | null {
    const known = this.#secrets.get(sealed);
    // A sealed value that was moved to another channel must not match the cache: the sealer refuses it.
    if (known?.channelId === channelId) return known;
    const secret = open(this.#sealer, sealed, sealContext.webhookSecret(channelId));
    if (secret === null) return null;
    const opened = { channelId, secret, key: partsKey(secret) };
    this.#secrets.set(sealed, opened);
    return opened;
  }
}

/** Of names and values alternating. */
function namesAccept(headers: readonly string[]): boolean {
  return headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'accept');
}

function open(sealer: Sealer, sealed: SealedText, context: string): string | null {
  try {
    return sealer.openText(sealed, context);
  } catch {
    // The error's text could quote the secret, so it is dropped; the attempt fails with cause `secret`.
    return null;
  }
}
