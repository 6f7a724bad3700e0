/**
 * Templates that may be sent, as they were found at most a second ago. When that second is over all sends under way ask at once: one
 * look-up goes out for them. Only what permits is remembered: see `ChannelCache`.
 */
import type { Template } from '../../domain/templates/template.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ShortLivedCache } from '../short-lived-cache.ts';
import { SingleFlight } from '../single-flight.ts';

/** A few kB each. */
const max = 2_000;
const ttlMs = 1_000;

export class TemplateCache {
  readonly #known: ShortLivedCache<Template>;
  readonly #underWay = new SingleFlight<Template>();
  #changes = 0;

  constructor(clock: Clock) {
    this.#known = new ShortLivedCache({ max, ttlMs, clock });
  }

  /** Throws what the look-up throws, for all who wait for it. */
  async find(key: string, lookUp: () => Promise<Template>): Promise<Template> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    return this.#underWay.run(key, async () => {
      const asked = this.#changes;
      const template = await lookUp();
      if (asked === this.#changes) this.#known.set(key, template);
      return template;
    });
  }

  /** Look-ups that began before do not bring it back. */
  forget(key: string): void {
    this.#changes += 1;
    this.#underWay.startAnew();
    this.#known.delete(key);
  }
}
