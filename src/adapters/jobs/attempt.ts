import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';

/** Runs `work` and returns whether it succeeded. A failure is logged and never thrown, so that worker loops go on. [architecture §7] */
export async function attempt(log: Log, name: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log.warn({ job: name, error: asError(error) }, 'job.failed');
    return false;
  }
}
