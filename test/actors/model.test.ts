import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { brokenInvariants } from './support/invariants.ts';
import { ModelHistory } from './support/model-history.ts';
import { expectSettled } from './support/model-node.ts';
import type { Step } from './support/model-steps.ts';

/**
 * The same random histories in every run; `MODEL_SEED` (a number, or `new`) and `MODEL_RUNS` choose others. A failure prints its seed and the
 * shortest history that fails.
 */
const numRuns = Number(process.env['MODEL_RUNS'] ?? 500);
const asked = process.env['MODEL_SEED'];
const seed = asked === 'new' ? Date.now() : Number(asked ?? 20_261_121);

const small = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most });
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ step: fc.constant('send' as const), to: small(3), text: small(2) }) },
  { weight: 1, arbitrary: fc.constant({ step: 'ask-again' as const }) },
  { weight: 6, arbitrary: fc.record({ step: fc.constant('wait' as const), ms: small(120) }) },
  { weight: 4, arbitrary: fc.record({ step: fc.constant('wait' as const), ms: small(2_500) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('inbound' as const),
      messages: fc.array(
        fc.record({
          from: small(2),
          files: fc.integer({ min: 0, max: 2 }),
          texts: fc.integer({ min: 0, max: 1 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ step: fc.constant('foreign-echo' as const), to: small(3), text: small(2) }),
  },
  { weight: 1, arbitrary: fc.constant({ step: 'unknown-status' as const }) },
  { weight: 2, arbitrary: fc.constant({ step: 'crash' as const }) },
  { weight: 2, arbitrary: fc.constant({ step: 'overtake' as const }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('lease' as const), valid: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ step: 'drain' as const }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant('replay' as const), up: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant('store-faults' as const), count: small(3) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('receiver' as const), up: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      step: fc.constant('settings' as const),
      active: fc.boolean(),
      licensed: fc.boolean(),
      starter: fc.boolean(),
      events: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant('endpoint' as const),
      ends: fc.constantFrom('crash' as const, 'overtake' as const, 'drain' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      step: fc.constant('endpoint-settings' as const),
      enabled: fc.boolean(),
      events: fc.boolean(),
    }),
  },
);

/** Runs the whole history. */
async function promisesKept(chances: number, steps: readonly Step[]): Promise<ModelHistory> {
  const history = new ModelHistory(chances);
  for (const step of steps) await history.take(step);
  await history.settle();
  expect(brokenInvariants(history)).toEqual([]);
  expectSettled(history.node);
  if (history.endpoint !== null) expectSettled(history.endpoint.node);
  return history;
}

test(`every promise holds, whatever happens to owners, store, upstream and receiver (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(aStep, { maxLength: 18, size: 'max' }),
      async (chances, steps) => {
        await promisesKept(chances, steps);
      },
    ),
    { numRuns, seed },
  );
});

const send = (to: number): Step => ({ step: 'send', to, text: 1 });
const wait = (ms: number): Step => ({ step: 'wait', ms });
const storeFaults = (count: number): Step => ({ step: 'store-faults', count });

/** Shortest histories of bugs that were found by other seeds. */
test.each<[string, number, Step[]]>([
  [
    'a read receipt arrives while a tracked echo waits for the answer of a call',
    -1_722_104_963,
    [
      send(2),
      send(1),
      send(2),
      storeFaults(2),
      send(1),
      wait(4),
      wait(100),
      send(3),
      { step: 'foreign-echo', to: 1, text: 1 },
    ],
  ],
  [
    'the echo of a lost first copy waits while the same text is sent to the same person again',
    1_264_659_262,
    [
      send(1),
      wait(7),
      send(2),
      { step: 'crash' },
      wait(31),
      { step: 'send', to: 2, text: 2 },
      { step: 'drain' },
      { step: 'send', to: 2, text: 2 },
      wait(173),
      { step: 'crash' },
    ],
  ],
  [
    'a message with a file is on record although the store did not say so, and its repetition finds the channel closed',
    1_482_617_454,
    [
      { step: 'unknown-status' },
      { step: 'inbound', messages: [{ from: 1, files: 1, texts: 0 }] },
      storeFaults(3),
      wait(1_423),
      { step: 'settings', active: false, licensed: false, starter: false, events: false },
    ],
  ],
  [
    'a licence ends while a file that ended its node waits for its turn',
    0,
    [
      { step: 'inbound', messages: [{ from: 1, files: 0, texts: 0 }] },
      wait(18),
      { step: 'inbound', messages: [{ from: 1, files: 2, texts: 0 }] },
      storeFaults(2),
      { step: 'settings', active: false, licensed: false, starter: true, events: false },
      wait(19),
    ],
  ],
  [
    'a read of a send whose answer was lost waits while a second copy cannot be called',
    -460_112_829,
    [send(2), send(1), wait(68), { step: 'crash' }, { step: 'lease', valid: false }],
  ],
  [
    'a replay brings back an event of a person whose later event has just failed, in an ordered channel',
    859_374_615,
    [
      { step: 'inbound', messages: [{ from: 1, files: 0, texts: 0 }] },
      send(1),
      wait(659),
      { step: 'crash' },
      { step: 'replay', up: false },
      { step: 'replay', up: false },
    ],
  ],
])('%s', async (_found, chances, steps) => {
  await promisesKept(chances, steps);
});
