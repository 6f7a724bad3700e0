/** What the actor runtime needs from outside. */
export type { Clock } from '../../src/kernel/clock.ts';

/** The right to be the one live activation of `key`, minted by the store: the epochs of a key only grow. [architecture §4] */
export interface OwnershipGrant {
  epoch: number;
  /**
   * False once the right has ended, or this node was suspended for so long that it may have ended. Checked right before every claim and
   * upstream call.
   */
  isValid(): boolean;
  /** False while another node may have the right without this node knowing: then the store is asked after each claim. */
  isSure(): boolean;
}

export interface Ownership {
  /** Becomes the owner of `key`. Rejects with StoreUnavailable when the store or the lock service does not answer. */
  acquire(key: string): Promise<OwnershipGrant>;
  /** Releases the right after a drain; never rejects. */
  release(key: string, lease: OwnershipGrant): Promise<void>;
}
