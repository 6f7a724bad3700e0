/** Names of everything the cluster keeps in Redis. All of it is a hint: lost without harm. [architecture §1] */
export const keys = {
  /** Hash: channel → incarnation. */
  owners: 'trunkline:own',
  /** Hash: incarnation → member. */
  members: 'trunkline:members',
  /** Hash: incarnation → when its lease was first seen ended, ms of Redis. */
  died: 'trunkline:died',
  leasePrefix: 'trunkline:lease:',
  ownedPrefix: 'trunkline:owned:',
  /** String with a life: the lease of an incarnation. */
  lease: (incarnation: string) => `trunkline:lease:${incarnation}`,
  /** Set: the channels of an incarnation. */
  owned: (incarnation: string) => `trunkline:owned:${incarnation}`,
} as const;
