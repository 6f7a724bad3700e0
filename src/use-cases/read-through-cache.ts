import { ShortLivedCache } from './short-lived-cache.ts';
import { SingleFlight } from './single-flight.ts';

/**
 * What a store permitted a moment ago; a refusal is never remembered: see `ChannelCache`. When an entry lapses one look-up goes out for all who
 * ask at once. `None` is null where a look-up may find nothing.
 */
export class ReadThroughCache<V extends object | true, None extends null = never> {
  readonly #known: ShortLivedCache<V>;
  readonly #underWay = new SingleFlight<V | None>();
  #changes = 0;

  constructor(limits: ConstructorParameters<typeof ShortLivedCache>[0]) {
    this.#known = new ShortLivedCache(limits);
  }

  /** What is remembered, without a promise; undefined: `find` has to ask. */
  get(key: string): V | undefined {
    return this.#known.get(key);
  }

  /** Throws what the look-up throws, for all who wait for it. */
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

  /** Look-ups that began before do not bring it back. */
  forget(key: string): void {
    this.#change();
    this.#known.delete(key);
  }

  /** As `forget`, of all these; looks at every entry: for rare events only. */
  forgetWhere(matches: (value: V) => boolean): void {
    this.#change();
    this.#known.deleteWhere(matches);
  }

  #change(): void {
    this.#changes += 1;
    this.#underWay.startAnew();
  }
}
