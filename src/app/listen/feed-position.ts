/** A listener's position in the feed: from which time a reconnect continues, and which events were received. */

/** Catching up repeats a minute of events, and a busy account has some ten thousand in a minute. */
const mostKnown = 50_000;

export class FeedPosition {
  readonly #known = new Set<string>();
  #since: string | null = null;
  #isCatchingUp = true;

  /** null: not yet connected. */
  get since(): string | null {
    return this.#since;
  }

  /**
   * False: the event was received before. `at`: when the feed published it. While catching up, earlier events can still arrive, so `since`
   * does not move.
   */
  isNew(webhookId: string, at: string | null): boolean {
    if (at !== null && !this.#isCatchingUp) this.#since = at;
    if (this.#known.has(webhookId)) return false;
    this.#known.add(webhookId);
    if (this.#known.size > mostKnown) {
      const [oldest] = this.#known;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return true;
  }

  lost(): void {
    this.#isCatchingUp = true;
  }

  catchingUp(since: string): void {
    this.#isCatchingUp = true;
    this.#since = since;
  }

  caughtUp(at: string): void {
    this.#isCatchingUp = false;
    this.#since = at;
  }
}
