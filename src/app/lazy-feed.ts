import type { LiveEvent, LiveFeed } from '../../actors/channel/ports/outside.ts';

/** The live feed for the actors, which start before it: until it is open, events are dropped. */
export class LazyFeed implements LiveFeed {
  #feed: LiveFeed | null = null;

  open(feed: LiveFeed): void {
    this.#feed = feed;
  }

  hasSubscribers(accountId: string): boolean {
    return this.#feed !== null && this.#feed.hasSubscribers(accountId);
  }

  publish(accountId: string, event: LiveEvent): void {
    this.#feed?.publish(accountId, event);
  }
}
