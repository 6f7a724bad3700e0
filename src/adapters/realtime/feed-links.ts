/** The links between nodes, as the feed needs them: the way to publish without Redis. */
export interface FeedLinks {
  /** Tells every peer, present and to come, that this node has subscribers, and by which way it gets events. */
  subscribe(way: 'redis' | 'links'): void;
  /** Whether a peer has subscribers; `links`: and does not get events by Redis. */
  hasSubscribers(by: 'any' | 'links'): boolean;
  /** To the peers with subscribers; `links`: only those that Redis does not reach. Dropped for a peer that reads too slowly. */
  publish(by: 'any' | 'links', channel: string, packet: Uint8Array): void;
  /** Calls when a peer says that it has subscribers, and that Redis does not reach it. */
  onPeerWithoutRedis(repeat: () => void): void;
  /** Calls with what peers publish. */
  onEvent(listener: (channel: string, packet: Uint8Array) => void): void;
}
