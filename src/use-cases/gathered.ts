/** What a node gathers in memory, by id, and writes now and then: a reader sees it also while it is on its way into the store. */
import { OneAtATime } from '../kernel/each-in-turn.ts';

export class Gathered<Value extends object> {
  readonly #max: number;
  #now = new Map<string, Value>();
  #onItsWay: ReadonlyMap<string, Value> = new Map();
  readonly #writes = new OneAtATime();

  /** `max`: ids between two writes; what comes beyond them is not gathered. */
  constructor(max: number) {
    this.#max = max;
  }

  /** To be changed in place; `start` answers the value of an id that is new. undefined: there is no room for it. */
  of(id: string, start: () => Value): Value | undefined {
    const known = this.#now.get(id);
    if (known !== undefined || this.#now.size >= this.#max) return known;
    const value = start();
    this.#now.set(id, value);
    return value;
  }

  /**
   * Asked for before the store is read, since a write may end while it is: answers what was gathered of an id, the oldest first, whether
   * or not what was read has it.
   */
  reader(): (id: string) => Value[] {
    const before = [this.#onItsWay, this.#now];
    return (id) => [...before, this.#onItsWay, this.#now].flatMap((values) => values.get(id) ?? []);
  }

  /** Over when all that was gathered before is written. What throws stays for the next time, with what came since put over it. */
  write(work: (gathered: ReadonlyMap<string, Value>) => Promise<void>): Promise<void> {
    return this.#writes.run(async () => {
      if (this.#now.size === 0) return;
      const gathered = this.#now;
      this.#onItsWay = gathered;
      this.#now = new Map();
      try {
        await work(gathered);
      } catch (error) {
        for (const [id, value] of this.#now) gathered.set(id, { ...gathered.get(id), ...value });
        this.#now = gathered;
        throw error;
      } finally {
        this.#onItsWay = new Map();
      }
    });
  }
}
