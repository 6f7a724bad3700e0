import { minuteMs } from '../../../src/kernel/clock.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { StoreUnavailable, asError } from '../../../src/kernel/faults.ts';
import type { Log } from '../../../src/kernel/log.ts';
import { onceAWhile } from '../../../src/kernel/once-a-while.ts';

type Fields = Record<string, unknown>;

/** Logs that the store did not do something for a channel. */
export type TellStoreFailure = (event: string, error: unknown, fields: Fields) => void;

/**
 * A store that is away fails each channel at each try: one line a minute for each reason, which names one channel of them. What else may be
 * wrong is of that channel, so it is a line each time. [faults: 556]
 */
export function storeFailures({ clock, log }: { clock: Clock; log: Log }): TellStoreFailure {
  const tell = onceAWhile<{ event: string; fields: Fields }>(clock, minuteMs, (_, times, { event, fields }) =>
    log.warn({ ...fields, times }, event),
  );
  return (event, thrown, about) => {
    const error = asError(thrown);
    const fields = { ...about, error };
    // Numbers, as of writes that wait, are not the reason.
    if (error instanceof StoreUnavailable)
      tell(`${event} ${error.message.replaceAll(/\d+/g, '')}`, { event, fields });
    else log.warn(fields, event);
  };
}
