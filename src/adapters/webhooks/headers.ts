import { LRUCache } from 'lru-cache';
import type { WebhookPost } from '../../../actors/channel/ports/outside.ts';
import { sealContext } from '../../domain/sealed.ts';
import type { SealedText, Sealer } from '../../domain/sealed.ts';
import { hopHeader } from '../../domain/webhooks/url.ts';
import { signBody } from '../../domain/webhooks/signature.ts';

/** Most opened secrets in the cache. */
const maxSecrets = 2_048;

/**
 * Makes the headers of attempts. Opening a secret costs 20 µs including garbage collection (a native cipher object), a fifth of a whole
 * POST, so opened secrets are cached by their sealed form. A rotation changes the sealed form, so each attempt signs with the secret that
 * is set at its time. [operator-interface §4]
 */
export class Headers {
  readonly #sealer: Sealer;
  readonly #secrets = new LRUCache<SealedText, { channelId: string; secret: string }>({ max: maxSecrets });

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /**
   * Names and values alternating: undici takes this form without copying. `now` in ms, by the wall clock: receivers compare it with theirs. Returns null if the secret cannot be opened (its key
   * is gone, or it belongs to another channel): an unsigned POST would be worse than none.
   */
  of(post: WebhookPost, now: number): string[] | null {
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
      String(Math.floor(now / 1_000)),
    ];
    const { requestId = null } = post;
    if (requestId !== null) headers.push('X-Request-Id', requestId);
    // [spec: Authentication 7] Without a secret there is no signature header.
    if (post.secret === null) return headers;
    const secret = this.#opened(post.secret, post.channelId);
    if (secret === null) return null;
    headers.push('X-Webhook-Signature', signBody(secret, post.body));
    if (post.previousSecret != null) this.#signWithPrevious(headers, post, post.previousSecret);
    return headers;
  }

  /**
   * For a receiver that does not know the new secret yet. If the old secret cannot be opened, its header is omitted; the signature with the
   * new one suffices.
   */
  #signWithPrevious(headers: string[], { channelId, body }: WebhookPost, sealed: SealedText): void {
    const secret = this.#opened(sealed, channelId);
    if (secret !== null) headers.push('X-Webhook-Signature-Previous', signBody(secret, body));
  }

  #opened(sealed: SealedText, channelId: string): string | null {
    const known = this.#secrets.get(sealed);
    // A sealed value that was moved to another channel must not match the cache: the sealer refuses it.
    if (known?.channelId === channelId) return known.secret;
    const secret = open(this.#sealer, sealed, sealContext.webhookSecret(channelId));
    if (secret !== null) this.#secrets.set(sealed, { channelId, secret });
    return secret;
  }
}

function open(sealer: Sealer, sealed: SealedText, context: string): string | null {
  try {
    return sealer.openText(sealed, context);
  } catch {
    // The error's text could quote the secret, so it is dropped; the attempt fails with cause `secret`.
    return null;
  }
}
