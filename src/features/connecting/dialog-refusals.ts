import type { Clock } from '../../kernel/clock.ts';
import { minuteMs } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { onceAWhile } from '../../kernel/once-a-while.ts';

/** Called with upstream's number for why its dialog did not open. */
export type DialogRefused = (code: number) => void;

/** Logs them once a minute: every person who connects meets one, and anybody can invent some. */
export function tellDialogRefused(clock: Clock, log: Log): DialogRefused {
  const tell = onceAWhile<number>(clock, minuteMs, (_, times, code) =>
    log.warn({ code, times }, 'setup.dialog-refused'),
  );
  return (code) => tell('refused', code);
}
