/** Where a listener is in the feed: from when on a reconnect goes on, and which events it has had. */

/** Catching up repeats a minute, and a busy account has some ten thousand events in one. */
const mostKnown = 50_000;

export class FeedPosition {
  readonly #known = new Set<string>();
  #since: string | null = null;
  #isCatchingUp = true;

  /** null: it has not been there yet. */
  get since(): string | null {
    return this.#since;
  }

  /** False: it was had before. `at`: when the feed said it; what comes while catching up may have others before it that are still to come. */
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
