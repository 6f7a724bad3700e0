/**
 * Who owns a channel, and so may act for it: one document per channel whose epoch only ever grows. The only authority: what nodes know
 * from elsewhere decides merely whom they ask to replace. [architecture §4]
 */
export interface OwnerStore {
  /** Makes `owner` the owner under an epoch higher than every earlier one, unless an incarnation that is not in `from` owns the channel. */
  mint(channelId: string, owner: Owner, now: number, terms?: MintTerms): Promise<Minted>;
  /** Frees the channel, if this incarnation still owns it: under this epoch, if one is given. */
  release(channelId: string, incarnation: string, epoch?: number): Promise<void>;
  /** Last epoch and present owner of each of these channels; channels that never had an owner are missing. */
  lastOwners(channelIds: readonly string[]): Promise<ReadonlyMap<string, LastOwner>>;
  /** The channels of an incarnation. */
  ownedBy(incarnation: string): Promise<string[]>;
  countOwnedBy(incarnation: string): Promise<number>;
}

export interface Owner {
  nodeId: string;
  incarnation: string;
}

export interface MintTerms {
  /** Increase of the epoch; default 1. */
  step?: number;
  /** Incarnations that may be replaced, beside a free channel's none and the owner itself; default: anybody. */
  from?: readonly string[];
}

export interface Minted {
  /** The incarnation that owns the channel now: another one was not replaced. */
  owner: string;
  /** Of that owner. */
  epoch: number;
  /** The incarnation that owned the channel before, or last; null: none ever did. */
  previous: string | null;
}

export interface LastOwner {
  epoch: number;
  /** null: the channel is free. */
  incarnation: string | null;
}
