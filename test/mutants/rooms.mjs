/** What is mutated, and the tests that look at the sources themselves, without a compiled service. */
export const rooms = [
  'actors/channel',
  'src/domain',
  'src/use-cases/messages',
  'src/cluster/claims.ts',
  'src/cluster/lease.ts',
  'src/cluster/ownership.ts',
  'src/adapters/webhooks',
];

/** Declarations of types, and lists of a room's use-cases. */
export const leftOut = /\/(use-cases|types|ports\/[a-z]+)\.ts$/;

export const testFolders = [
  'test/actors',
  'test/domain',
  'test/wire',
  'test/webhooks',
  'test/use-cases',
  'test/cluster',
];

/** Random histories take other ways each time; what starts many nodes takes a minute for each mutant. */
export const testsLeftOut =
  /\/(actors\/model|cluster\/(fail-over|hundred-nodes|redis-down|scale|hostile-redis|links|moves))\.test\.ts$/;
