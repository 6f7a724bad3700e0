/** Due work, which exists even if no request waits for it. [architecture §6.6] */
export interface DueWorkStore {
  /**
   * Channels, and endpoints, with a pending delivery, an unfinished send or a fact due at or before `now`: the first `limit` by id after
   * `after`.
   */
  channelsWithDueWork(now: number, limit: number, after?: string): Promise<string[]>;
  /** Channels with an unfinished send that no owner has loaded yet (`SendStore.insertUnlessTaken`). Cheap if there are none. */
  channelsWithUntakenSends(limit: number): Promise<string[]>;
  /** The time of the server that all nodes share (ms); null: there is none, or it does not say. */
  serverTime(): Promise<number | null>;
  /**
   * Erases older deliveries that have ended, and the bookkeeping of older finished messages, in slices. A message of ours that was called
   * later, because it had to wait, is as old as its last call: statuses of it are still to come. Takes no further slice once the signal has
   * aborted. Returns the number of erased records.
   */
  dropFinished(before: number, stopping?: AbortSignal): Promise<number>;
}
