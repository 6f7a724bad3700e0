/** What the actor runtime needs from the world. */
export type { Clock } from '../../src/kernel/clock.ts';

/**
 * A right to be the one live activation of `key`, minted by the store: epochs of one key only ever grow.
 * [architecture §4]
 */
export interface OwnershipGrant {
  epoch: number;
  /** False once the right has ended, or this node stood still for so long that it may have; checked right before every claim and upstream call. */
  isValid(): boolean;
  /** False while nobody can say whether another has it by now: then the store is asked after each claim. */
  isSure(): boolean;
}

export interface Ownership {
  /** Becomes the owner of `key`. Throws StoreUnavailable when the store or lock service can't say. */
  acquire(key: string): Promise<OwnershipGrant>;
  /** Gives it up after a drain; never throws. */
  release(key: string, lease: OwnershipGrant): Promise<void>;
}
