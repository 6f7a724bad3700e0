/**
 * [faults: I1-I5, I7, I8] Random faults of every kind under load, on a cluster (`storm-node.test.ts`: on one node); then everything
 * heals and the oracle compares the answers to clients, the calls to upstream and the POSTs to the receiver. `npm run storm --
 * --minutes 10 --seed 7` runs it by hand; STORM_MINUTES, STORM_SEED, STORM_STEPS and STORM_SKIP (numbers of steps) set the same.
 */
import { jest, test } from '@jest/globals';
import { Random } from '../actors/support/random.ts';
import { describeCluster, ServiceCluster } from '../support/cluster.ts';
import { contents } from '../support/every-send.ts';
import { Storm } from '../cluster-service/support/storm.ts';
import { clusterFaults, outsideFaults } from './faults.ts';
import { StormedEndpoints } from './endpoints.ts';
import { env, expectKept, rage, seed, stormedChannels, timeoutMs } from './rage.ts';

jest.setTimeout(timeoutMs);

describeCluster(`a storm over three nodes (seed ${seed})`, (source) => {
  test('violates no invariant', async () => {
    const cluster = await ServiceCluster.start(source, { env });
    try {
      const channels = await stormedChannels(cluster.world);
      const endpoints = await StormedEndpoints.of(cluster.world, channels);
      cluster.balancer.isByKey = seed % 2 === 1; // then channels follow their sends
      const storm = new Storm(cluster, channels, { clients: 6, contents });
      const struck = { world: cluster.world, channels, random: new Random(seed), cluster };
      try {
        await expectKept(
          cluster,
          storm,
          () => rage([...clusterFaults, ...outsideFaults], struck),
          () => cluster.heal(),
        );
        await endpoints.expectSame(cluster.inbox);
      } finally {
        await endpoints.close();
      }
    } finally {
      await cluster.close();
    }
  });
});
