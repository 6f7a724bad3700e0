/**
 * Fetches of a node, by their channel. They end with the activation that began them: what it had counted may be taken back by then, and
 * a fetch that went on could end its node behind the record. [faults: 102]
 */
export class FetchesUnderWay {
  readonly #ofChannel = new Map<string, Set<AbortController>>();

  async run<T>(channelId: string, fetch: (left: AbortSignal) => Promise<T>): Promise<T> {
    const left = new AbortController();
    const own = this.#ofChannel.get(channelId) ?? new Set();
    this.#ofChannel.set(channelId, own.add(left));
    try {
      return await fetch(left.signal);
    } finally {
      own.delete(left);
      if (own.size === 0 && this.#ofChannel.get(channelId) === own) this.#ofChannel.delete(channelId);
    }
  }

  end(channelId: string): void {
    const own = this.#ofChannel.get(channelId) ?? [];
    this.#ofChannel.delete(channelId);
    for (const left of own) left.abort();
  }
}
