import { systemClock } from './clock.ts';

/** This many SIGINTs within this time come from a person at a keyboard who does not want to wait. */
const impatientSignals = 3;
const impatientMs = 2_000;

interface StopSignals {
  /** Called once, however many signals come. */
  stop: (signal: string) => void;
  /** Called before the process ends at once. */
  beforeEnd?: () => void;
}

/**
 * Repeated SIGTERM and SIGINT are harmless: a process group gets a signal together, and npm forwards its own. Only the third SIGINT within
 * 2 s ends the process at once. SIGHUP, which a closed terminal sends, and tools that rotate logs, is one more way to stop: Node would end at
 * once, also under nohup.
 */
export function onStopSignals({ stop, beforeEnd = () => undefined }: StopSignals): void {
  let isStopping = false;
  const stopOnce = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    stop(signal);
  };
  let interrupts: number[] = [];
  process.on('SIGTERM', () => stopOnce('SIGTERM'));
  process.on('SIGHUP', () => stopOnce('SIGHUP'));
  process.on('SIGINT', () => {
    const now = systemClock.monotonic();
    interrupts = [...interrupts.filter((at) => now - at < impatientMs), now];
    if (interrupts.length >= impatientSignals) endAtOnce(beforeEnd);
    stopOnce('SIGINT');
  });
}

function endAtOnce(beforeEnd: () => void): never {
  process.stderr.write(`SIGINT for the third time within ${impatientMs / 1_000} s: ending at once\n`);
  beforeEnd();
  process.exit(130);
}
