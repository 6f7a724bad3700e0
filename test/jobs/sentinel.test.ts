/** [faults: 13] bee-queue's client knows no Sentinel, and a worker that waits on a frozen primary learns of no other. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeBeeQueueJobs } from '../../src/jobs/bee-queue.ts';
import type { JobData } from '../../src/jobs/jobs.ts';
import { openRedis } from '../../src/ownership/redis.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { Outage } from '../../src/kernel/outage.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import { RedisSentinels } from '../support/redis-sentinels.ts';
import { until } from '../support/until.ts';

describeWithRedis('jobs behind Sentinels', () => {
  let sentinels: RedisSentinels;
  beforeAll(async () => {
    sentinels = await RedisSentinels.start();
  }, 60_000);
  afterAll(() => sentinels.stop());

  test('the primary is frozen: jobs run over the one that replaces it', async () => {
    const outage = new Outage('redis', '', silentLog);
    const redis = await openRedis(sentinels.url, outage);
    const ways = { redisUrl: sentinels.url, redis: redis.main, clock: systemClock, log: silentLog, outage };
    const jobs = makeBeeQueueJobs(ways);
    const seen: JobData[] = [];
    try {
      jobs.handle('sync', async (job) => void seen.push(job));
      await until('a first job to be taken', () => jobs.enqueue('sync', 'before').then(() => true), 30_000);
      await until('the first job', () => seen.includes('before'));

      sentinels.first.freeze();
      await until('another primary', async () => (await sentinels.primary()) === sentinels.second, 30_000);
      // A node always has a request on this connection, and closes it when no answer comes.
      await until('the other connections to be back', () => redis.main.ping().catch(() => null), 30_000);
      await until('a job to be taken', () => jobs.enqueue('sync', 'after').then(() => true), 30_000);
      await until('the job', () => seen.includes('after'));
    } finally {
      await jobs.stop();
      redis.close();
    }
    expect(seen).toContain('after');
  }, 90_000);
});
