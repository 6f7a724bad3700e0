/** Names of everything the cluster keeps in Redis. All of it is a hint: lost without harm. [architecture §1] */
export const keys = {
  /** Hash: channel → session. */
  owners: 'trunkline:own',
  /** Hash: session → member. */
  members: 'trunkline:members',
  /** Hash: session → when its lease was first seen ended, ms of Redis. */
  died: 'trunkline:died',
  leasePrefix: 'trunkline:lease:',
  ownedPrefix: 'trunkline:owned:',
  /** String with a life: the lease of a session. */
  lease: (session: string) => `trunkline:lease:${session}`,
  /** Set: the channels of a session. */
  owned: (session: string) => `trunkline:owned:${session}`,
} as const;
