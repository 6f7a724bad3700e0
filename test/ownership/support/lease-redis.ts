/** The part of Redis that a lease uses: keys that expire by the test's clock, and answers that are held back, lost or errors. */
import { Redis } from 'ioredis';
import type { FakeClock } from '../../support/fake-clock.ts';

type Reply = (error: Error | null, answer?: number) => void;

/** The answer to scripts: `held` comes later, `lost` executes the script but never answers. */
export type Mood = 'answers' | 'held' | 'lost' | Error;

export class LeaseRedis {
  readonly #clock: FakeClock;
  readonly #keys = new Map<string, { value: string; until: number }>();
  readonly #held: (() => void)[] = [];
  /** The commands it got, in order. */
  readonly heard: string[] = [];
  mood: Mood = 'answers';
  readonly client: Redis;

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.client = Object.assign(new Redis({ lazyConnect: true }), {
      status: 'ready' as const,
      // redlock sends the text of a script that is unknown by its digest.
      evalsha: (_digest: string, _args: unknown[], answer: Reply) => answer(new Error('NOSCRIPT')),
      eval: (args: unknown[], answer: Reply) => this.#run(args.map(String), answer),
      del: async (key: string) => {
        this.heard.push('del');
        return Number(this.#keys.delete(key));
      },
    });
  }

  /** Remaining time to live of the key, ms; null: there is no key. */
  leftOf(key: string): number | null {
    const left = (this.#keys.get(key)?.until ?? -Infinity) - this.#clock.monotonic();
    return left > 0 ? left : null;
  }

  set(key: string, value: string | null): void {
    if (value === null) this.#keys.delete(key);
    else this.#keys.set(key, { value, until: Infinity });
  }

  /** Sends the answers that were held back, and answers again. */
  letGo(): void {
    this.mood = 'answers';
    for (const say of this.#held.splice(0)) say();
  }

  #run([script = '', , key = '', value = '', ttlMs]: string[], answer: Reply): void {
    const { mood } = this;
    // The holder of a lease has no unlock script of its own.
    if (script === 'return #KEYS') return answer(null, 1);
    if (mood instanceof Error) return answer(mood);
    const done = this.#perform(script, key, { value, ttlMs: Number(ttlMs) });
    if (mood === 'answers') answer(null, done);
    if (mood === 'lost') answer(new Error('Command timed out'));
    if (mood === 'held') this.#held.push(() => answer(null, done));
  }

  /** redlock's scripts, by their text. */
  #perform(script: string, key: string, { value, ttlMs }: { value: string; ttlMs: number }): number {
    const isThere = this.leftOf(key) !== null;
    const isOurs = isThere && this.#keys.get(key)?.value === value;
    const what = /"exists"/.test(script) ? 'lock' : /"del"/.test(script) ? 'unlock' : 'extend';
    this.heard.push(what);
    if (what === 'lock' ? isThere : !isOurs) return 0;
    if (what === 'unlock') this.#keys.delete(key);
    else this.#keys.set(key, { value, until: this.#clock.monotonic() + ttlMs });
    return 1;
  }
}
