/** Who may act for a channel: one document per channel whose epoch only ever grows. [architecture §4] */
export interface OwnerStore {
  /**
   * Makes `owner` the owner under an epoch higher than every earlier one, even if Redis has lost its data. `previous`: the incarnation
   * of the last owner; null for the first.
   */
  mint(
    channelId: string,
    owner: { nodeId: string; incarnation: string },
    now: number,
    /** Increase of the epoch; default 1. */
    step?: number,
  ): Promise<{ epoch: number; previous: string | null }>;
  /** Last owner of each of these channels; channels that never had an owner are missing. */
  lastOwners(channelIds: readonly string[]): Promise<ReadonlyMap<string, LastOwner>>;
}

interface LastOwner {
  epoch: number;
  incarnation: string;
}
