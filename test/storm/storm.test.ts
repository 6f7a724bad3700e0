/**
 * [faults: I1-I5, I7, I8] A random run of faults of every kind under load, on a cluster (`storm-node.test.ts`: on one node); then
 * everything heals and the oracle compares what clients were told, what upstream received and what the receiver got. `npm run storm --
 * --minutes 10 --seed 7` runs them by hand; STORM_MINUTES, STORM_SEED, STORM_STEPS and STORM_SKIP (numbers of steps) say the same.
 */
import { jest, test } from '@jest/globals';
import { Random } from '../actors/support/random.ts';
import { describeCluster, ServiceCluster } from '../support/cluster.ts';
import { contents } from '../support/every-send.ts';
import { connectAll } from '../support/sends.ts';
import { Storm } from '../cluster-service/support/storm.ts';
import { clusterFaults, outsideFaults } from './faults.ts';
import { env, expectKept, rage, seed, timeoutMs } from './rage.ts';

jest.setTimeout(timeoutMs);

describeCluster(`a storm over three nodes (seed ${seed})`, (source) => {
  test('keeps every promise', async () => {
    const cluster = await ServiceCluster.start(source, { env });
    try {
      const channels = Object.values((await connectAll(cluster.world)).channels);
      const storm = new Storm(cluster, channels, { clients: 6, contents });
      const struck = { world: cluster.world, channels, random: new Random(seed), cluster };
      await expectKept(
        cluster,
        storm,
        () => rage([...clusterFaults, ...outsideFaults], struck),
        () => cluster.heal(),
      );
    } finally {
      await cluster.close();
    }
  });
});
