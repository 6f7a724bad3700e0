/** Names of everything the cluster keeps in Redis. All of it is a hint: lost without harm. [architecture §1] */
export const keys = {
  owners: 'trunkline:own',
  members: 'trunkline:members',
  leasePrefix: 'trunkline:lease:',
  ownedPrefix: 'trunkline:owned:',
  lease: (session: string) => `trunkline:lease:${session}`,
  owned: (session: string) => `trunkline:owned:${session}`,
} as const;
