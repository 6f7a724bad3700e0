import { describe } from '@jest/globals';
import { makeInProcessJobs } from '../../src/jobs/in-process.ts';
import { makeMetrics } from '../../src/app/metrics/index.ts';
import { instrumentJobs } from '../../src/app/metrics/instrument.ts';
import { jobLimits } from '../../src/jobs/jobs.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { jobsConformance } from './conformance.ts';
import { FakeClock } from '../support/fake-clock.ts';

const asItIs = (jobs: Jobs): Jobs => jobs;
const measured = (jobs: Jobs, clock: FakeClock): Jobs =>
  instrumentJobs(jobs, { metrics: makeMetrics(), clock });

describe.each([
  ['in-process', asItIs],
  ['in-process, measured', measured],
])('%s', (name, made) => {
  jobsConformance(name, async () => {
    const logged: string[] = [];
    const clock = new FakeClock();
    const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
    const jobs = made(makeInProcessJobs({ clock, log }), clock);
    return {
      jobs,
      logged,
      now: () => clock.now(),
      pass: (ms) => clock.pass(ms),
      until: async (what, holds) => {
        for (let ms = 0; !holds(); ms += 1) {
          if (ms > 60_000) throw new Error(`waited a minute for ${what}`);
          await clock.pass(1);
        }
      },
      lateMs: 0,
      limits: jobLimits,
      close: () => jobs.stop(),
    };
  });
});
