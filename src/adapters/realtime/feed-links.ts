/** The links between nodes, as the feed needs them: the way that stands without Redis. */
export interface FeedLinks {
  /** Tells every peer, present and to come, that this node has subscribers, and which way it hears of events. */
  listen(way: 'redis' | 'links'): void;
  /** Whether a peer listens; `links`: one that does not hear Redis. */
  isListening(by: 'any' | 'links'): boolean;
  /** To the peers that listen; `links`: only those that do not hear Redis. Dropped for a peer that reads too slowly. */
  tell(by: 'any' | 'links', channel: string, packet: Uint8Array): void;
  /** Calls when a peer says that it listens, and does not hear Redis. */
  onUnheard(repeat: () => void): void;
  /** What peers tell. */
  onTold(hear: (channel: string, packet: Uint8Array) => void): void;
}
