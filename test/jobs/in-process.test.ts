import { makeInProcessJobs } from '../../src/adapters/jobs/index.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { jobsConformance } from './conformance.ts';
import { HandClock } from './hand-clock.ts';

jobsConformance('in-process', async () => {
  const logged: string[] = [];
  const clock = new HandClock();
  const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
  const jobs = makeInProcessJobs({ clock, log });
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
    close: () => jobs.stop(),
  };
});
