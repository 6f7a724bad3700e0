/** What is mutated, and the tests that look at the sources themselves, without a compiled service. */
export const modules = ['actors/channel', 'src/rules', 'src/features', 'src/ownership', 'src/delivery'];

/** Declarations of types, and lists of what a feature offers. */
export const leftOut = /\/(features\/[a-z-]+\/index|types)\.ts$/;

/** Folders, and files of folders whose other tests look elsewhere. */
export const testPlaces = [
  'test/actors',
  'test/model',
  'test/rules',
  'test/upstream',
  'test/delivery',
  'test/features',
  'test/ownership',
  'test/docs/error-codes.test.ts',
  'test/docs/agreement.test.ts',
];

/** What starts many nodes takes a minute for each mutant: used only if `--tests` names the file itself. */
export const testsLeftOut =
  /\/ownership\/(fail-over|hundred-nodes|redis-down|scale|hostile-redis|moves)\.test\.ts$/;
