const esModules = { target: 'es2022', parser: { syntax: 'typescript' } };
const jsx = { react: { runtime: 'automatic', importSource: 'preact' } };

/** ESM throughout: tests run the TypeScript sources, one transform (swc), no module mapping. */
export default {
  testEnvironment: '<rootDir>/test/support/environment.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '\\.ts$': ['<rootDir>/test/support/sources/transform.js', { jsc: esModules, module: { type: 'es6' } }],
    '\\.tsx$': [
      '<rootDir>/test/support/sources/transform.js',
      {
        jsc: { ...esModules, parser: { syntax: 'typescript', tsx: true }, transform: jsx },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/prepare-run.js',
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // Set by `npm test`, `npm run test:services` and `npm run test:long`; jest without it runs every file.
  ...(process.env.TEST_TIER === undefined ? {} : { filter: '<rootDir>/test/support/only-tier.cjs' }),
  // Every file imports what it uses of jest.
  injectGlobals: false,
  // A watchdog that only ends what hangs: longer than what a test waits for, on a machine that is busy with other runs too.
  testTimeout: 300_000,
  // Two cores; tests wait for leases, retries and outages most of their time.
  maxWorkers: process.env.TEST_TIER === 'fast' ? 6 : 5,
};
