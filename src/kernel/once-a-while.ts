import type { Clock } from './clock.ts';

/**
 * Calls `tell` for the first of many like events at once and then at most once per `everyMs`, with how many there were since and what is
 * known of this one. The last ones of a burst wait for the next event.
 */
export function onceAWhile<About = void>(
  clock: Clock,
  everyMs: number,
  tell: (key: string, times: number, about: About) => void,
): (key: string, about: About) => void {
  const told = new Map<string, { at: number; times: number }>();
  return (key, about) => {
    const now = clock.monotonic();
    const known = told.get(key);
    if (known !== undefined && now - known.at < everyMs) {
      known.times += 1;
      return;
    }
    told.set(key, { at: now, times: 0 });
    tell(key, (known?.times ?? 0) + 1, about);
  };
}
