/**
 * [architecture §7; faults: I1, I2, I4] Redis fails repeatedly, in every way and for growing times, while three nodes send at a
 * rate that one of them could handle: no send and no POST of upstream is refused, none is lost, and each channel is served during each outage. `npm run outages -- --seed 7` is the complete run, four minutes:
 * ten outages of 1 to 60 s over 10,000 sends. OUTAGES_SEED, OUTAGES_LONGEST_S and OUTAGES_PER_SECOND set the same.
 */
import { expect, jest, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../actors/support/random.ts';
import { redisOutages } from '../cluster-service/support/redis-outages.ts';
import type { RedisOutage } from '../cluster-service/support/redis-outages.ts';
import { resendAfterMs, Storm } from '../cluster-service/support/storm.ts';
import { countPosts, refusedPosts } from '../cluster-service/support/upstream-posts.ts';
import { describeCluster, ServiceCluster } from '../support/cluster.ts';
import { connectAll } from '../support/sends.ts';
import { env } from './rage.ts';

const seed = Number(process.env['OUTAGES_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const longestS = Number(process.env['OUTAGES_LONGEST_S'] ?? 2);
const perSecond = Number(process.env['OUTAGES_PER_SECOND'] ?? 20);

/** Pause between two outages, so that each starts with certain leases: a share of the last outage, and at least this. */
const leastRestMs = 1_000;
const restShare = 0.5;
/** Concurrent sends: a send that is a second late delays none that is due. */
const clients = 40;

jest.setTimeout(longestS * 20_000 + 420_000);

/** Each kind once, in random order, from a second to the longest, spread evenly on a logarithmic scale. */
function plan(random: Random): { outage: RedisOutage; lastsMs: number }[] {
  const left = [...redisOutages];
  return redisOutages.map((_, index) => {
    const [outage] = left.splice(random.between(0, left.length - 1), 1);
    if (outage === undefined) throw new Error('no outage is left');
    return { outage, lastsMs: Math.round(1_000 * longestS ** (index / (redisOutages.length - 1))) };
  });
}

describeCluster(`ten outages of Redis (seed ${seed})`, (source) => {
  test(`of 1 to ${longestS} s each: 0 × 503, 0 lost, at ${perSecond} sends a second over three nodes`, async () => {
    const cluster = await ServiceCluster.start(source, { env });
    try {
      const channels = Object.values((await connectAll(cluster.world)).channels);
      const posts = await countPosts(cluster.simulator);
      const storm = new Storm(cluster, channels, { clients, contents: ['text'], perSecond });
      try {
        await storm.flows(3, 60_000);
        for (const { outage, lastsMs } of plan(new Random(seed))) {
          const before = storm.ended.length;
          await outage.begin(cluster);
          await Promise.all([outage.struck(cluster).then(() => storm.serves()), wait(lastsMs)]);
          await outage.struck(cluster);
          await outage.end(cluster);
          const ended = storm.ended.length - before;
          process.stderr.write(`Redis ${outage.name}, ${lastsMs} ms: ${ended} sends ended meanwhile\n`);
          await wait(Math.max(leastRestMs, lastsMs * restShare));
        }
        await storm.flows(3, 60_000);
      } finally {
        await storm.stop();
      }
      await cluster.heal();
      await storm.settled(120_000);
      const refused = storm.refused();
      const lost = await storm.findings(resendAfterMs);
      const refusedOfUpstream = await refusedPosts(cluster.simulator, posts);
      process.stderr.write(
        `outages, seed ${seed}: ${storm.ended.length} sends (${storm.counts()}), ${storm.ended.filter(({ code }) => code === 503).length} × 503, ${lost.length} lost or wrong; ` +
          `${storm.written.length} written; longest gap ${storm.longestGap()} ms\n`,
      );
      expect({ seed, refused, lost, refusedOfUpstream }).toEqual({
        seed,
        refused: [],
        lost: [],
        refusedOfUpstream: [],
      });
    } finally {
      await cluster.close();
    }
  });
});
