/** The receiver of the channel and of its endpoint: it takes most POSTs while it is up. */
import type { WebhookPost, WebhookResult } from '../../../src/rules/outside.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import type { Random } from './random.ts';

export class ModelReceiver {
  isUp = true;
  /** POSTs by delivery id, and how many of them were answered 2xx. */
  readonly posts = new Map<string, { made: number; ok: number }>();
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  post({ deliveryId }: WebhookPost, random: Random): Promise<WebhookResult> {
    const posts = this.posts.get(deliveryId) ?? { made: 0, ok: 0 };
    this.posts.set(deliveryId, posts);
    posts.made += 1;
    const isOk = this.isUp && random.chance(0.9);
    return new Promise((resolve) => {
      this.#clock.after(random.between(0, 100), () => {
        if (isOk) posts.ok += 1;
        resolve(isOk ? { ok: true, status: 200 } : { ok: false, status: 500, reason: 'status' });
      });
    });
  }
}
