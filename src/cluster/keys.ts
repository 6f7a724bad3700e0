/** Names of the cluster's Redis keys. Everything there is a hint that may be lost without harm. [architecture §1] */
export const keys = {
  /** Hash: channel → incarnation. */
  owners: 'trunkline:own',
  /** Hash: incarnation → member. */
  members: 'trunkline:members',
  /** Hash: incarnation → when its lease was first seen ended, in ms of Redis's clock. */
  died: 'trunkline:died',
  leasePrefix: 'trunkline:lease:',
  ownedPrefix: 'trunkline:owned:',
  /** String with an expiry: the lease of an incarnation. */
  lease: (incarnation: string) => `trunkline:lease:${incarnation}`,
  /** Set: the channels that an incarnation has claimed. */
  owned: (incarnation: string) => `trunkline:owned:${incarnation}`,
} as const;
