import type { Program } from '../world/programs.ts';

/** p99 of the event-loop delay since the last look, as the service itself tells it; NaN when it does not. */
export async function loopDelayMs({ url }: Program): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)$/m.exec(text)?.[1];
  return Number(seconds ?? NaN) * 1_000;
}
