import type { Program } from '../world/programs.ts';

/** p99 of the event-loop delay since the last look, as the service itself tells it; NaN when it does not. */
export function loopDelayMs(program: Program): Promise<number> {
  return told(program, 'p99');
}

/** The longest since the last look; what the service waits between two samples is in it. */
export function longestTurnMs(program: Program): Promise<number> {
  return told(program, 'max');
}

async function told({ url }: Program, which: 'p99' | 'max'): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = new RegExp(`^nodejs_eventloop_lag_${which}_seconds ([\\d.e-]+)$`, 'm').exec(text)?.[1];
  return Number(seconds ?? NaN) * 1_000;
}
