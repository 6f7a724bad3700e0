import { ShortLivedCache } from './short-lived-cache.ts';
import { SingleFlight } from './single-flight.ts';

/**
 * Caches what a store permitted, never a refusal: see `ChannelCache`. After an entry expires concurrent callers share one look-up.
 * `None` is null if a look-up may find nothing. Not `lru-cache`'s `fetch`: a refusal overtaken by an eviction rejects there with
 * "deleted", look-ups under way can be evicted by key only, and a miss costs several times as much.
 */
export class ReadThroughCache<V extends object | true, None extends null = never> {
  readonly #known: ShortLivedCache<V>;
  readonly #underWay = new SingleFlight<V | None>();
  #changes = 0;

  constructor(limits: ConstructorParameters<typeof ShortLivedCache>[0]) {
    this.#known = new ShortLivedCache(limits);
  }

  /** The cached value, without a promise; undefined: `find` must look it up. */
  get(key: string): V | undefined {
    return this.#known.get(key);
  }

  /** Throws the error of the look-up to all callers who wait for it. */
  async find(key: string, lookUp: () => Promise<V | None>): Promise<V | None> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    return this.#underWay.run(key, async () => {
      const asked = this.#changes;
      const found = await lookUp();
      if (found !== null && asked === this.#changes) this.#known.set(key, found);
      return found;
    });
  }

  /** Evicts the entry; look-ups that began before do not restore it. */
  forget(key: string): void {
    this.#change();
    this.#known.delete(key);
  }

  /** As `forget`, for all matching entries. Scans every entry: for rare events only. */
  forgetWhere(matches: (value: V) => boolean): void {
    this.#change();
    for (const [key, value] of this.#known.entries()) if (matches(value)) this.#known.delete(key);
  }

  #change(): void {
    this.#changes += 1;
    this.#underWay.startAnew();
  }
}
