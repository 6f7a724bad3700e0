import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';

/** False when it failed: logged here, and nothing ends because of it. [architecture §7] */
export async function attempt(log: Log, name: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log.warn({ job: name, error: asError(error) }, 'job.failed');
    return false;
  }
}
