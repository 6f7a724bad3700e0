import { makeLog } from '../../src/kernel/log.ts';
import type { Log } from '../../src/kernel/log.ts';

/** Writes nothing. */
export const silentLog: Log = makeLog('silent');
