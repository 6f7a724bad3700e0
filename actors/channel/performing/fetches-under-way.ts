/**
 * Running fetches of a node, by channel. They end with the activation that began them: by then its counts may have been taken back, and a
 * fetch that went on could crash the node uncounted. [faults: 102]
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
