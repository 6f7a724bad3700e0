import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { makeBeeQueueJobs } from '../../src/jobs/bee-queue.ts';
import type { BeeQueueJobsOptions } from '../../src/jobs/bee-queue.ts';
import type { JobData, Jobs } from '../../src/jobs/jobs.ts';
import { openRedis } from '../../src/ownership/redis.ts';
import type { RedisConnections } from '../../src/ownership/redis.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { Outage } from '../../src/kernel/outage.ts';
import { Proxy } from '../support/proxy.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { jobsConformance } from './conformance.ts';

/** A tenth or less of the promised times: in-process jobs are tested with those, on the test's own clock. */
const limits = { waiting: 300, firstRetryMs: 100 };
/** The interval after which jobs of a dead node are looked for; a fifth of the real one. */
const stallMs = 1_000;

interface Node {
  jobs: Jobs;
  redis: RedisConnections;
  logged: string[];
}

async function openNode(
  server: Pick<RedisServer, 'url'>,
  given: BeeQueueJobsOptions['limits'] = {},
): Promise<Node> {
  const logged: string[] = [];
  const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
  const redis = await openRedis(server.url, new Outage('redis', '', makeLog('silent')));
  const { url: redisUrl } = server;
  const outage = new Outage('redis', '', log);
  const jobs = makeBeeQueueJobs({
    redisUrl,
    redis: redis.main,
    clock: systemClock,
    log,
    outage,
    limits: given,
  });
  return { jobs, redis, logged };
}

async function closeNode({ jobs, redis }: Node): Promise<void> {
  await jobs.stop();
  redis.close();
}

describeWithRedis('jobs over Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  jobsConformance('bee-queue', async () => {
    const node = await openNode(server, limits);
    await node.redis.main.flushall();
    return {
      jobs: node.jobs,
      logged: node.logged,
      now: () => systemClock.monotonic(),
      pass: (ms) => wait(ms),
      until: async (what, holds) => void (await until(what, holds, 35_000)),
      lateMs: Infinity,
      limits,
      close: () => closeNode(node),
    };
  });
});

describeWithRedis('jobs of several nodes, with Redis coming and going', () => {
  let server: RedisServer;
  let nodes: Node[];
  const node = async (): Promise<Node> => {
    const opened = await openNode(server, { stallMs });
    nodes.push(opened);
    return opened;
  };
  beforeEach(async () => {
    nodes = [];
    server = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(nodes.map(closeNode));
    await server.stop();
  });

  test('of three nodes one runs each turn', async () => {
    const turns: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      (await node()).jobs.every('sweep', 200, async () => void turns.push(performance.now()));
    }

    await until('six turns', () => turns.length >= 6);

    const gaps = turns.slice(1).map((at, index) => at - (turns[index] ?? 0));
    expect(gaps.filter((ms) => ms < 199)).toEqual([]);
  });

  test('a dead node does not stop the turns', async () => {
    const [first, second] = [await node(), await node()];
    let turns = 0;
    let begun = 0;
    first.jobs.every('sweep', 100, async () => {
      begun += 1;
      await first.jobs.stop(); // a turn that never ends, on a node that never comes back
    });
    await until('the first turn', () => begun === 1);
    second.jobs.every('sweep', 100, async () => void (turns += 1));

    await until('turns elsewhere', () => turns >= 2, 50_000);
  }, 70_000);

  test('a job of a dead node is run by another [at least once]', async () => {
    const [first, second] = [await node(), await node()];
    const seen: JobData[] = [];
    let begun = 0;
    first.jobs.handle('sync', () => {
      begun += 1;
      return new Promise(() => undefined);
    });
    await first.jobs.enqueue('sync', 'a');
    await until('the first try', () => begun === 1);
    await first.jobs.stop();

    second.jobs.handle('sync', async (job) => void seen.push(job));
    await until('the second try', () => seen.length === 1, 50_000);

    expect(seen).toEqual(['a']);
  }, 70_000);

  test.each(['empty', 'same'] as const)(
    'Redis restarts %s: turns and jobs go on [faults 11, 12]',
    async (memory) => {
      const { jobs, logged } = await node();
      let turns = 0;
      const seen: JobData[] = [];
      jobs.every('sweep', 100, async () => void (turns += 1));
      jobs.handle('sync', async (job) => void seen.push(job));
      await until('a turn', () => turns > 0);

      for (let restart = 1; restart <= 3; restart += 1) {
        await server.kill9();
        await until(
          'the loss to be seen',
          () => logged.filter((event) => event === 'redis.away').length >= restart,
        );
        await server.restart(memory);
        const before = turns;
        await until('turns after the restart', () => turns > before);
        await until('a job to be taken', async () => {
          await jobs.enqueue('sync', restart);
          return true;
        });
        await until('the job', () => seen.includes(restart));
      }

      expect(logged.filter((event) => event !== 'redis.away' && event !== 'redis.back')).toEqual([]);
    },
    60_000,
  );

  test('Redis hangs: unanswered calls are refused, and everything continues after it [faults 14]', async () => {
    const { jobs } = await node();
    const seen: JobData[] = [];
    jobs.handle('sync', async (job) => void seen.push(job));
    await jobs.enqueue('sync', 'before');
    await until('the first job', () => seen.length === 1);

    server.freeze();
    await expect(jobs.enqueue('sync', 'meanwhile')).rejects.toMatchObject({ code: 'unavailable' });
    server.thaw();
    await jobs.enqueue('sync', 'after');
    await until('the last job', () => seen.includes('after'));
  });

  test.each<[string, (proxy: Proxy) => void]>([
    ['answers OOM', (proxy) => proxy.answerWith("OOM command not allowed when used memory > 'maxmemory'")],
    ['answers LOADING', (proxy) => proxy.answerWith('LOADING Redis is loading the dataset in memory')],
    [
      'answers READONLY',
      (proxy) => proxy.answerWith("READONLY You can't write against a read only replica."),
    ],
    ['answers MISCONF', (proxy) => proxy.answerWith('MISCONF Redis is configured to save RDB snapshots')],
    ['is out of reach', (proxy) => proxy.blackHole()],
  ])(
    'Redis %s: jobs are refused, no turn starts, and all of it continues afterwards',
    async (_name, begin) => {
      const proxy = await Proxy.start(server.port);
      const opened = await openNode({ url: `redis://127.0.0.1:${proxy.port}` }, { stallMs });
      nodes.push(opened);
      const { jobs } = opened;
      const seen: JobData[] = [];
      let turns = 0;
      jobs.handle('sync', async (job) => void seen.push(job));
      jobs.every('sweep', 100, async () => void (turns += 1));
      await jobs.enqueue('sync', 'before');
      await until('the first job, and a turn', () => seen.length === 1 && turns > 0);

      begin(proxy);
      await expect(jobs.enqueue('sync', 'meanwhile')).rejects.toMatchObject({ code: 'unavailable' });
      expect(proxy.fired).toBeGreaterThan(0);
      const during = turns;
      await wait(500); // five turns, if one could start
      expect(turns).toBeLessThanOrEqual(during + 1); // one may have begun before

      proxy.heal();
      await until('turns', () => turns > during + 2);
      await until('a job to be taken', () => jobs.enqueue('sync', 'after').then(() => true, () => false)); // oxfmt-ignore
      await until('the last job', () => seen.includes('after'));
      await proxy.close();
    },
    60_000,
  );

  test('a job that runs while Redis is restarted ends once, and no other of its name starts meanwhile', async () => {
    const { jobs, logged } = await node();
    const ends: (() => void)[] = [];
    jobs.handle('sync', () => new Promise((resolve) => ends.push(resolve)));
    await jobs.enqueue('sync', 1);
    await until('the job', () => ends.length === 1);

    await server.restart('same');
    await until('the loss to be seen', () => logged.includes('redis.away'));
    await wait(1_500); // longer than a queue needs to reopen
    const meanwhile = ends.length;
    ends[0]?.();
    await until('its second try, for its end could not be told', () => ends.length === 2, 50_000);

    expect(meanwhile).toBe(1);
    ends[1]?.();
  }, 70_000);

  test.each(['gone', 'frozen', 'never there'])(
    'with Redis %s, jobs are refused and stop ends',
    async (how) => {
      if (how === 'never there') await server.kill9();
      const { jobs } = await node();
      jobs.handle('sync', async () => undefined);
      jobs.every('sweep', 50, async () => undefined);
      if (how !== 'never there') await jobs.enqueue('sync', 1);
      if (how === 'gone') await server.kill9();
      if (how === 'frozen') server.freeze();

      await expect(jobs.enqueue('sync', 2)).rejects.toMatchObject({ code: 'unavailable' });
      await jobs.stop();
    },
  );

  test('a turn that takes longer than its interval does not run twice at once', async () => {
    let running = 0;
    let most = 0;
    let ended = 0;
    for (let count = 0; count < 2; count += 1)
      (await node()).jobs.every('sweep', 100, async () => {
        running += 1;
        most = Math.max(most, running);
        await wait(2_500); // longer than its key lives unless it is renewed
        running -= 1;
        ended += 1;
      });

    await until('two turns', () => ended >= 2);
    expect(most).toBe(1);
  });

  test('a key of another type without expiry does not stop the turns', async () => {
    const { jobs, redis } = await node();
    let turns = 0;
    await redis.main.hset('trunkline:turn:sweep', 'turn', 'x');

    jobs.every('sweep', 100, async () => void (turns += 1));

    await until('a turn', () => turns > 0);
  });

  test('Redis holds nothing of a failure [faults: I10]', async () => {
    const { jobs, redis } = await node();
    let tries = 0;
    jobs.handle('sync', async () => {
      tries += 1;
      throw new Error('token abc');
    });
    await jobs.enqueue('sync', 1);
    await until('the first try', () => tries === 1);

    const kept = await until('the failed job', async () => {
      const all = await redis.main.hvals('trunkline:jobs:job:sync:jobs');
      return all.join().includes('retrying') && all.join();
    });

    expect(kept).not.toContain('token abc');
  });
});

describeWithRedis('a user of Redis with few rights', () => {
  test('what it lacks is said, in the words of Redis', async () => {
    const server = await RedisServer.start();
    const owner = await openRedis(server.url, new Outage('redis', '', makeLog('silent')));
    await owner.main.acl('SETUSER', 'few', 'on', '>pw', '~*', 'resetchannels', '+@all');
    const lines: Record<string, unknown>[] = [];
    const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
    const outage = new Outage('redis', '', log);
    const redisUrl = server.url.replace('//', '//few:pw@');
    const jobs = makeBeeQueueJobs({ redisUrl, redis: owner.main, clock: systemClock, log, outage });
    jobs.handle('sync', async () => undefined);
    await until('a line', () => lines.length > 0);
    expect(lines[0]).toMatchObject({ msg: 'redis.away', why: expect.stringMatching(/NOPERM .* channels/) });
    await jobs.stop();
    owner.close();
    await server.stop();
  });
});

describeWithRedis('a password that Redis does not need', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  test('is one line of the log, however many connections there are', async () => {
    const node = await openNode({ url: server.url.replace('//', '//:not-needed@') });
    try {
      for (const name of ['one', 'two']) {
        node.jobs.handle(name, async () => undefined);
        await node.jobs.enqueue(name, {});
      }
      await until('the line', () => node.logged.length > 0);
      expect(node.logged).toEqual(['redis.warned']);
    } finally {
      await closeNode(node);
    }
  });
});
