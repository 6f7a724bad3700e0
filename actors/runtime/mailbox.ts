/**
 * A bounded queue of messages, first in, first out. `capacity` bounds asks from outside only; reports of the actor's own effects are always
 * taken, because what is in flight bounds them.
 */
export class Mailbox<Message> {
  readonly #capacity: number;
  #queue: Message[] = [];
  #head = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#queue.length - this.#head;
  }

  get isFull(): boolean {
    return this.size >= this.#capacity;
  }

  push(message: Message): void {
    this.#queue.push(message);
  }

  take(): Message | undefined {
    if (this.#head >= this.#queue.length) return undefined;
    const message = this.#queue[this.#head];
    this.#head += 1;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    return message;
  }

  /** Removes all messages and returns them, oldest first. */
  drain(): Message[] {
    const rest = this.#queue.slice(this.#head);
    this.#queue = [];
    this.#head = 0;
    return rest;
  }
}
