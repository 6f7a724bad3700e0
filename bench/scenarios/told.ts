/** Figures from the service's own metrics. */
import type { Program } from '../world/programs.ts';

/** p99 of the event-loop delay since the last read, in ms; NaN if the metric is missing. */
export async function loopDelayMs(program: Program): Promise<number> {
  const [seconds] = await told(program, /^nodejs_eventloop_lag_p99_seconds (\S+)$/gm);
  return (seconds ?? NaN) * 1_000;
}

/** Webhooks that the service has yet to deliver. */
export async function pendingOn(program: Program): Promise<number> {
  return sum(await told(program, /^\w*deliveries_pending (\S+)$/gm));
}

/** Unsuccessful webhook attempts since the service started. */
export async function failedAttemptsOn(program: Program): Promise<number> {
  return sum(await told(program, /^\w*delivery_attempts_total\{result="(?!delivered")[^"]*"\} (\S+)$/gm));
}

async function told({ url }: Program, line: RegExp): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Array.from(text.matchAll(line), ([, value]) => Number(value));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
