import { LRUCache } from 'lru-cache';
import type { WebhookPost } from '../../../actors/channel/ports/outside.ts';
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { SealedText, Sealer } from '../../domain/accounts/sealed.ts';
import { hopHeader } from '../../domain/webhooks/hop.ts';
import { signBody } from '../../domain/webhooks/signature.ts';

/** Opened secrets kept at most. */
const maxSecrets = 2_048;

/**
 * Makes the headers of attempts. Opening a secret costs a native cipher object, 20 µs with its collection, a fifth of a
 * whole POST: opened ones are kept by their sealed form, which a rotation changes, so that an attempt still signs with the
 * secret of its time. [operator-interface §4]
 */
export class Headers {
  readonly #sealer: Sealer;
  readonly #secrets = new LRUCache<SealedText, { channelId: string; secret: string }>({ max: maxSecrets });

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /**
   * Names and values in turn, the form undici takes without copying. `now` in ms. null: the secret can't be opened (its key
   * is gone, or it was moved between channels), and an unsigned POST would be worse than none.
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
    // [spec: Authentication 7] No secret, no header.
    if (post.secret === null) return headers;
    const secret = this.#opened(post.secret, post.channelId);
    if (secret === null) return null;
    headers.push('X-Webhook-Signature', signBody(secret, post.body));
    if (post.previousSecret != null) this.#signWithPrevious(headers, post, post.previousSecret);
    return headers;
  }

  /** For a receiver that does not know the new secret yet. One that can't be opened any more is left out: the other signature stands. */
  #signWithPrevious(headers: string[], { channelId, body }: WebhookPost, sealed: SealedText): void {
    const secret = this.#opened(sealed, channelId);
    if (secret !== null) headers.push('X-Webhook-Signature-Previous', signBody(secret, body));
  }

  #opened(sealed: SealedText, channelId: string): string | null {
    const known = this.#secrets.get(sealed);
    // A value that was moved to another channel must not be found open: it goes to the sealer, which refuses it.
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
    // The error's text could quote the secret: it stops here, and the cause `secret` goes on.
    return null;
  }
}
