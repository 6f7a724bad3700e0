import { makeInProcessJobs } from '../../src/adapters/jobs/index.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { jobsConformance } from './conformance.ts';
import { HandClock } from './hand-clock.ts';

jobsConformance('in-process', async () => {
  const logged: string[] = [];
  const clock = new HandClock();
  const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
  const jobs = makeInProcessJobs({ clock, log });
  return { jobs, logged, pass: (ms) => clock.pass(ms), close: () => jobs.stop() };
});
