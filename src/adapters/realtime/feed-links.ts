/** The node-to-node links as the feed uses them: a way to publish without Redis. */
export interface FeedLinks {
  /** Tells all present and future peers that this node has subscribers, and which way reaches them. */
  subscribe(way: 'redis' | 'links'): void;
  /** Whether a peer has subscribers; `links`: and is reached by the links only. */
  hasSubscribers(by: 'any' | 'links'): boolean;
  /**
   * Publishes to peers with subscribers; `links`: to those that Redis does not reach. Drops the packet for a peer that reads too slowly.
   */
  publish(by: 'any' | 'links', channel: string, packet: Uint8Array): void;
  /** Calls `repeat` when a peer reports that it has subscribers and is not reached by Redis. */
  onPeerWithoutRedis(repeat: () => void): void;
  /** Calls `listener` with each packet that a peer publishes. */
  onEvent(listener: (channel: string, packet: Uint8Array) => void): void;
}
