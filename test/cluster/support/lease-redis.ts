/** As much of a Redis as a lease sees: keys with a life by the clock of the test, and answers that are held back, lost or errors. */
import { Redis } from 'ioredis';
import type { FakeClock } from '../../support/fake-clock.ts';

type Reply = (error: Error | null, answer?: number) => void;

/** What it says to scripts: `held` answers later, `lost` does what it was told and never says so. */
export type Mood = 'answers' | 'held' | 'lost' | Error;

export class LeaseRedis {
  readonly #clock: FakeClock;
  readonly #keys = new Map<string, { value: string; until: number }>();
  readonly #held: (() => void)[] = [];
  /** What it was told, in order. */
  readonly heard: string[] = [];
  mood: Mood = 'answers';
  readonly client: Redis;

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.client = Object.assign(new Redis({ lazyConnect: true }), {
      status: 'ready' as const,
      // redlock sends the text of a script that is not known by its digest.
      evalsha: (_digest: string, _args: unknown[], answer: Reply) => answer(new Error('NOSCRIPT')),
      eval: (args: unknown[], answer: Reply) => this.#run(args.map(String), answer),
      del: async (key: string) => {
        this.heard.push('del');
        return Number(this.#keys.delete(key));
      },
    });
  }

  /** Ms that the key has to live; null: there is none. */
  leftOf(key: string): number | null {
    const left = (this.#keys.get(key)?.until ?? -Infinity) - this.#clock.monotonic();
    return left > 0 ? left : null;
  }

  set(key: string, value: string | null): void {
    if (value === null) this.#keys.delete(key);
    else this.#keys.set(key, { value, until: Infinity });
  }

  /** Says what was held back, and answers again. */
  letGo(): void {
    this.mood = 'answers';
    for (const say of this.#held.splice(0)) say();
  }

  #run([script = '', , key = '', value = '', ttlMs]: string[], answer: Reply): void {
    const { mood } = this;
    // The holder of a lease has no unlock of its own.
    if (script === 'return #KEYS') return answer(null, 1);
    if (mood instanceof Error) return answer(mood);
    const done = this.#perform(script, key, { value, ttlMs: Number(ttlMs) });
    if (mood === 'answers') answer(null, done);
    if (mood === 'lost') answer(new Error('Command timed out'));
    if (mood === 'held') this.#held.push(() => answer(null, done));
  }

  /** redlock's scripts as they read. */
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
