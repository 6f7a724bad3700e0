/** Write-behind buffers of a node, flushed from time to time. */
import { SerialQueue } from './serial.ts';

/** New items, in order. The caller bounds them. */
export class WriteBehindList<Item> {
  #items: Item[] = [];
  readonly #writes = new SerialQueue();

  get length(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** Writes all items, after a write that is running. If `work` throws, they stay buffered. */
  write(work: (items: readonly Item[]) => Promise<void>): Promise<void> {
    return this.#writes.run(async () => {
      if (this.#items.length === 0) return;
      const items = this.#items;
      this.#items = [];
      try {
        await work(items);
      } catch (error) {
        this.#items = [...items, ...this.#items];
        throw error;
      }
    });
  }
}

/** Values by id. Readers also see values while they are being written. */
export class WriteBehindBuffer<Value extends object> {
  readonly #max: number;
  #now = new Map<string, Value>();
  #onItsWay: ReadonlyMap<string, Value> = new Map();
  readonly #writes = new SerialQueue();

  /** `max`: ids between two writes; further ids are dropped. */
  constructor(max: number) {
    this.#max = max;
  }

  /** The value of an id, to be changed in place; `start` makes the value of a new id. undefined: the buffer is full. */
  of(id: string, start: () => Value): Value | undefined {
    const known = this.#now.get(id);
    if (known !== undefined || this.#now.size >= this.#max) return known;
    const value = start();
    this.#now.set(id, value);
    return value;
  }

  /**
   * Call it before reading the store, because a write may end during the read. The reader returns the buffered values of an id, oldest
   * first, whether or not the store's result contains them.
   */
  reader(): (id: string) => Value[] {
    const before = [this.#onItsWay, this.#now];
    return (id) => [...before, this.#onItsWay, this.#now].flatMap((values) => values.get(id) ?? []);
  }

  /** Resolves when everything buffered before is written. If `work` throws, the values stay buffered, with later ones merged over them. */
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
