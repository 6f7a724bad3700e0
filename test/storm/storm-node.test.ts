/** [faults: I1-I5, I7, I8] Like `storm.test.ts`, with one node and its embedded store. */
import { jest, test } from '@jest/globals';
import { Random } from '../actors/support/random.ts';
import { KillableService } from '../support/crash.ts';
import { contents } from '../support/every-send.ts';
import { Storm } from '../cluster-service/support/storm.ts';
import type { Stormed } from '../cluster-service/support/storm.ts';
import { nodeFaults, outsideFaults } from './faults.ts';
import { env, expectKept, rage, seed, stormedChannels, timeoutMs } from './rage.ts';

jest.setTimeout(timeoutMs);

test(`a storm over one node violates no invariant (seed ${seed})`, async () => {
  const killable = await KillableService.open(env);
  try {
    const channels = await stormedChannels(killable.world);
    const stormed: Stormed = {
      get world() {
        return killable.world;
      },
      nodes: [],
    };
    const storm = new Storm(stormed, channels, { clients: 4, contents });
    const struck = { world: killable.world, channels, random: new Random(seed), killable };
    await expectKept(
      stormed,
      storm,
      () => rage([...nodeFaults, ...outsideFaults], struck),
      async () => undefined,
    );
  } finally {
    await killable.close();
  }
});
