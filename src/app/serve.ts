/**
 * Reads the settings, starts, waits for a signal, stops. Imports little before the settings: the rest loads while the writer thread opens
 * the store.
 */
import { readEnvironment } from '../../config/env-file.ts';
import { SettingsError, readSettings } from '../../config/settings.ts';
import { StartError } from './listener.ts';
import { takeOwnDirectory } from './take-directory.ts';
import { systemClock } from '../kernel/clock.ts';
import { StoreUnavailable, asError } from '../kernel/faults.ts';
import { makeLog } from '../kernel/log.ts';
import { onStopSignals } from '../kernel/stop-signals.ts';
import { keepTickShape } from '../kernel/tick-shape.ts';

/** A stop that hangs must not keep the process alive: it exits this long after the time for the calls under way. [operator-interface §2] */
const closeWithinMs = 3_000;

let stop = (): Promise<void> => Promise.resolve();
let isExiting = false;

/** A start that is stopped may fail meanwhile: only the first reason counts. */
function exitAfter(stopped: Promise<void>, code: 0 | 1): void {
  isExiting = true;
  void stopped.then(() => process.exit(code));
}

async function main(): Promise<void> {
  keepTickShape();
  const { env, warnings } = readEnvironment();
  const settings = readSettings(env);
  const log = makeLog(settings.logLevel);
  for (const warning of warnings) log.warn({ warning }, 'settings.misspelt');
  // Without a handler, the first process of a container would not heed the signal.
  onStopSignals({
    stop(signal) {
      log.info({ signal }, 'node.stopping');
      // Not `exit`, which waits for threads.
      systemClock.after(settings.drainTimeoutMs + closeWithinMs, () => process.kill(process.pid, 'SIGKILL'));
      exitAfter(stop(), 0);
    },
  });
  const directory = settings.mongodbUri === null ? await takeOwnDirectory({ settings, log }) : null;
  // Nothing is accepted before the start is over.
  if (directory !== null) stop = () => directory.leave();
  const { startApp } = await import('./build.ts');
  const app = await startApp(settings, systemClock, log, directory);
  stop = () => app.stop();
  process.on('uncaughtException', (error) => {
    log.error({ error }, 'node.crashed'); // state is durable: exiting is safe, continuing is not
    process.exit(1);
  });
}

/** Failures that one line explains; any other error is our bug and prints its stack. */
function isPlain(error: Error): boolean {
  return error instanceof SettingsError || error instanceof StartError || error instanceof StoreUnavailable;
}

main().catch((thrown: unknown) => {
  if (isExiting) return;
  const error = asError(thrown);
  const line = isPlain(error) ? error.message : (error.stack ?? error.message);
  process.stderr.write(`trunkline: ${line}\n`);
  exitAfter(stop(), 1);
});
