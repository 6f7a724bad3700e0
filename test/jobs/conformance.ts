import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { jobLimits } from '../../src/jobs/jobs.ts';
import type { JobData, Jobs } from '../../src/jobs/jobs.ts';

/** An implementation under test, with its own clock. */
interface JobsUnderTest {
  jobs: Jobs;
  /** Monotonic ms. */
  now(): number;
  /** Lets this much time pass, with everything that is due: only for what must not happen meanwhile. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until this holds. */
  until(what: string, holds: () => boolean): Promise<void>;
  /** How much later than its time something may happen. */
  lateMs: number;
  /** `jobLimits`, or smaller values if a test would have to wait for them. */
  limits: { waiting: number; firstRetryMs: number };
  /** The `msg` of the log lines so far. */
  logged: string[];
  close(): Promise<void>;
}

/** The contract of every implementation of `Jobs`. */
export function jobsConformance(name: string, make: () => Promise<JobsUnderTest>): void {
  describe(`jobs, ${name} [architecture §8]`, () => {
    let under: JobsUnderTest;
    beforeEach(async () => {
      under = await make();
    });
    afterEach(() => under.close());

    /** Milliseconds from one to the next, the first from now on. */
    function gaps(): { note(): void; all: number[] } {
      let last = under.now();
      const all: number[] = [];
      const note = (): void => {
        all.push(under.now() - last);
        last = under.now();
      };
      return { note, all };
    }

    function expectEach(ms: number[], least: number): void {
      // A timer of Node fires up to 1 ms early by the monotonic clock.
      expect(ms.filter((one) => one < least - 1 || one > least + under.lateMs)).toEqual([]);
    }

    test('work runs at each interval, the first time after one interval', async () => {
      const runs = gaps();
      under.jobs.every('sweep', 100, async () => runs.note());

      await under.until('three runs', () => runs.all.length === 3);

      expectEach(runs.all, 100);
    });

    test('work that fails runs again at its next interval, and is logged once a minute [faults: 583]', async () => {
      let runs = 0;
      under.jobs.every('sweep', 100, async () => {
        runs += 1;
        if (runs < 3) throw new Error('store away');
      });

      await under.until('three runs', () => runs === 3);

      expect(under.logged).toEqual(['job.failed']);
    });

    test('work never overlaps itself: its next interval starts when it ends', async () => {
      const ends: (() => void)[] = [];
      under.jobs.every('slow', 100, () => new Promise((resolve) => ends.push(resolve)));

      await under.until('the first turn', () => ends.length === 1);
      await under.pass(500);
      const whileRunning = ends.length;
      const sinceItsEnd = gaps();
      ends[0]?.();
      await under.until('the second turn', () => ends.length === 2);
      sinceItsEnd.note();

      expect(whileRunning).toBe(1);
      expectEach(sinceItsEnd.all, 100);
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
      await under.until('both jobs', () => seen.length === 2);

      expect(seen).toEqual([
        { channel: 'a', items: [1] },
        { channel: 'a', items: [1, 2] },
      ]);
    });

    test.each([['early'], [null], [0], [['a']]])('a job waits for its worker: %j', async (job) => {
      const seen: JobData[] = [];
      await under.jobs.enqueue('sync', job);

      under.jobs.handle('sync', async (given) => void seen.push(given));
      await under.until('the job', () => seen.length === 1);

      expect(seen).toEqual([job]);
    });

    test('one job of a name at a time; jobs of other names do not wait for it', async () => {
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
      await under.until('two jobs', () => begun.length === 2);
      await under.pass(100);
      const first = new Set(begun);
      for (const end of ends.splice(0)) end();
      await under.until('the third job', () => begun.length === 3);

      expect(first).toEqual(new Set(['a', 'c']));
      for (const end of ends) end();
    });

    test('5 attempts, a first pause of 1 s, 10,000 queued jobs', () => {
      expect(jobLimits).toEqual({ tries: 5, firstRetryMs: 1_000, waiting: 10_000 });
    });

    test('a job that fails is retried after its pause while others run', async () => {
      const seen: JobData[] = [];
      const runs = gaps();
      under.jobs.handle('sync', async (job) => {
        seen.push(job);
        if (job !== 'bad') return;
        runs.note();
        if (seen.length === 1) throw new Error('upstream away');
      });

      for (const job of ['bad', 'good']) await under.jobs.enqueue('sync', job);
      await under.until('three tries', () => seen.length === 3);

      expect(seen).toEqual(['bad', 'good', 'bad']);
      expectEach(runs.all.slice(1), under.limits.firstRetryMs);
      expect(under.logged).toEqual(['job.failed']);
    });

    test('an id is one job: the same id again has no effect until the job has ended', async () => {
      const seen: JobData[] = [];
      let end = (): void => {};
      under.jobs.handle('sync', async (job) => {
        seen.push(job);
        if (seen.length === 1) await new Promise<void>((resolve) => (end = resolve));
      });

      for (const job of ['first', 'again']) await under.jobs.enqueue('sync', job, 'a');
      await under.until('it to run', () => seen.length === 1);
      await under.jobs.enqueue('sync', 'meanwhile', 'a');
      await under.jobs.enqueue('sync', 'other', 'b');
      end();
      await under.until('the other', () => seen.includes('other'));
      await under.jobs.enqueue('sync', 'afterwards', 'a');
      await under.until('the last', () => seen.includes('afterwards'));

      expect(seen).toEqual(['first', 'other', 'afterwards']);
    });

    test('an id is in use while its job waits for a retry', async () => {
      const seen: JobData[] = [];
      under.jobs.handle('sync', async (job) => {
        seen.push(job);
        if (seen.length === 1) throw new Error('upstream away');
      });

      await under.jobs.enqueue('sync', 'first', 'a');
      await under.until('its failure', () => under.logged.length === 1);
      await under.jobs.enqueue('sync', 'again', 'a');
      await under.until('its second try', () => seen.length === 2);
      await under.jobs.enqueue('sync', 'last');
      await under.until('the last', () => seen.includes('last'));

      expect(seen).toEqual(['first', 'first', 'last']);
    });

    test('each pause is twice the previous one; a job that fails five times is given up', async () => {
      const tries = gaps();
      under.jobs.handle('sync', async () => {
        tries.note();
        throw new Error('never');
      });

      await under.jobs.enqueue('sync', null);
      await under.until('the end', () => under.logged.includes('job.given-up'));

      const [, ...pauses] = tries.all;
      expect(pauses).toHaveLength(4);
      for (const [nth, ms] of pauses.entries()) expectEach([ms], under.limits.firstRetryMs * 2 ** nth);
      expect(under.logged.slice(4)).toEqual(['job.failed', 'job.given-up']);
    });

    test('stop waits for running jobs and starts no others', async () => {
      const ends: (() => void)[] = [];
      let turns = 0;
      let isStopped = false;
      under.jobs.every('sweep', 1_000, async () => void (turns += 1));
      under.jobs.handle('sync', () => new Promise((resolve) => ends.push(resolve)));
      for (const job of [1, 2]) await under.jobs.enqueue('sync', job);
      await under.until('the first job', () => ends.length === 1);

      const stopping = under.jobs.stop().then(() => (isStopped = true));
      await under.pass(1_500);
      const whileRunning = isStopped;
      ends[0]?.();
      await stopping;

      expect([whileRunning, ends.length, turns]).toEqual([false, 1, 0]);
      await expect(under.jobs.enqueue('sync', 3)).rejects.toMatchObject({ code: 'overloaded' });
    });

    test('stop aborts the signal of a running turn, so that long work ends', async () => {
      const seen: string[] = [];
      under.jobs.every('erase', 100, async (stopping) => {
        seen.push(`begun ${stopping.aborted}`);
        await new Promise((resolve) => stopping.addEventListener('abort', resolve));
        seen.push('ended');
      });
      await under.until('the first turn', () => seen.length === 1);

      await under.jobs.stop();

      expect(seen).toEqual(['begun false', 'ended']);
    });

    test('the number of queued jobs is bounded [faults: I11]', async () => {
      const { waiting } = under.limits;
      for (let count = 0; count < waiting; count += 1) await under.jobs.enqueue('sync', count);

      await expect(under.jobs.enqueue('sync', waiting)).rejects.toMatchObject({ code: 'overloaded' });
    });

    test('a name can have one worker only', () => {
      under.jobs.every('sweep', 100, async () => {});
      under.jobs.handle('sync', async () => {});

      expect(() => under.jobs.every('sweep', 100, async () => {})).toThrow('job sweep has its turns already');
      expect(() => under.jobs.handle('sync', async () => {})).toThrow('job sync has a worker already');
    });
  });
}
