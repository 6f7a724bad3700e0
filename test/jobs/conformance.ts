import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JobData, Jobs } from '../../src/adapters/jobs/index.ts';

/** A fulfilment under test. `pass` lets this much of its time go by, with everything that is due in it. */
export interface JobsUnderTest {
  jobs: Jobs;
  pass(ms: number): Promise<void>;
  /** `msg` of the log lines so far. */
  logged: string[];
  close(): Promise<void>;
}

/** What every fulfilment of `Jobs` must do. */
export function jobsConformance(name: string, make: () => Promise<JobsUnderTest>): void {
  describe(`jobs, ${name} [architecture §8]`, () => {
    let under: JobsUnderTest;
    beforeEach(async () => {
      under = await make();
    });
    afterEach(() => under.close());

    test('work runs each interval, the first time after one', async () => {
      let runs = 0;
      under.jobs.every('sweep', 100, async () => void (runs += 1));

      await under.pass(99);
      const before = runs;
      await under.pass(250);

      expect([before, runs]).toEqual([0, 3]);
    });

    test('work that fails is logged and has its next turn', async () => {
      let runs = 0;
      under.jobs.every('sweep', 100, async () => {
        runs += 1;
        if (runs < 3) throw new Error('store away');
      });

      await under.pass(300);

      expect(runs).toBe(3);
      expect(under.logged).toEqual(['job.failed', 'job.failed']);
    });

    test('work never overlaps itself: its next interval begins when it ends', async () => {
      const ends: (() => void)[] = [];
      under.jobs.every('slow', 100, () => new Promise((resolve) => ends.push(resolve)));

      await under.pass(500);
      const whileRunning = ends.length;
      ends[0]?.();
      await under.pass(100);

      expect([whileRunning, ends.length]).toEqual([1, 2]);
      ends[1]?.();
    });

    test('a job goes to the worker of its name, in order, as a copy', async () => {
      const seen: JobData[] = [];
      const data = { channel: 'a', items: [1] };
      under.jobs.handle('sync', async (job) => void seen.push(job));
      under.jobs.handle('other', async () => void seen.push('wrong'));

      await under.jobs.enqueue('sync', data);
      data.items.push(2);
      await under.jobs.enqueue('sync', data);
      await under.pass(10);

      expect(seen).toEqual([
        { channel: 'a', items: [1] },
        { channel: 'a', items: [1, 2] },
      ]);
    });

    test('a job waits for its worker', async () => {
      const seen: JobData[] = [];
      await under.jobs.enqueue('sync', 'early');

      under.jobs.handle('sync', async (job) => void seen.push(job));
      await under.pass(10);

      expect(seen).toEqual(['early']);
    });

    test('one job of a name at a time; names do not wait for each other', async () => {
      const begun: JobData[] = [];
      const ends: (() => void)[] = [];
      const worker = (job: JobData) =>
        new Promise<void>((resolve) => {
          begun.push(job);
          ends.push(resolve);
        });
      under.jobs.handle('one', worker);
      under.jobs.handle('two', worker);

      for (const job of ['a', 'b']) await under.jobs.enqueue('one', job);
      await under.jobs.enqueue('two', 'c');
      await under.pass(10);
      const first = new Set(begun);
      for (const end of ends.splice(0)) end();
      await under.pass(10);

      expect([first, begun.length]).toEqual([new Set(['a', 'c']), 3]);
      for (const end of ends) end();
    });

    test('a job that fails comes again after 1 s while others go on', async () => {
      const seen: JobData[] = [];
      under.jobs.handle('sync', async (job) => {
        seen.push(job);
        if (job === 'bad' && seen.length === 1) throw new Error('upstream away');
      });

      for (const job of ['bad', 'good']) await under.jobs.enqueue('sync', job);
      await under.pass(900);
      const early = [...seen];
      await under.pass(200);

      expect([early, seen]).toEqual([
        ['bad', 'good'],
        ['bad', 'good', 'bad'],
      ]);
      expect(under.logged).toEqual(['job.failed']);
    });

    test('a job that fails five times is given up', async () => {
      let tries = 0;
      under.jobs.handle('sync', async () => {
        tries += 1;
        throw new Error('never');
      });

      await under.jobs.enqueue('sync', null);
      await under.pass(60_000);

      expect(tries).toBe(5);
      expect(under.logged.slice(4)).toEqual(['job.failed', 'job.given-up']);
    });

    test('stop waits for what runs and begins nothing more', async () => {
      const ends: (() => void)[] = [];
      let turns = 0;
      let isStopped = false;
      under.jobs.every('sweep', 100, async () => void (turns += 1));
      under.jobs.handle('sync', () => new Promise((resolve) => ends.push(resolve)));
      for (const job of [1, 2]) await under.jobs.enqueue('sync', job);
      await under.pass(10);

      const stopping = under.jobs.stop().then(() => (isStopped = true));
      await under.pass(1_000);
      const whileRunning = isStopped;
      ends[0]?.();
      await stopping;

      expect([whileRunning, ends.length, turns]).toEqual([false, 1, 0]);
      await expect(under.jobs.enqueue('sync', 3)).rejects.toMatchObject({ code: 'overloaded' });
    });

    test('a line of 10,000 is the most that waits [faults: I11]', async () => {
      for (let count = 0; count < 10_000; count += 1) await under.jobs.enqueue('sync', count);

      await expect(under.jobs.enqueue('sync', 10_000)).rejects.toMatchObject({ code: 'overloaded' });
    });

    test('a name is given once', () => {
      under.jobs.every('sweep', 100, async () => {});
      under.jobs.handle('sync', async () => {});

      expect(() => under.jobs.every('sweep', 100, async () => {})).toThrow('job sweep has its turns already');
      expect(() => under.jobs.handle('sync', async () => {})).toThrow('job sync has a worker already');
    });
  });
}
