import { numberWords } from '../../../pages/numbers.ts';
import type { Counted } from '../given-up.ts';

/** `10,000+`: at least that many. */
export function countWords({ count, isMore }: Counted): string {
  return `${numberWords(count)}${isMore ? '+' : ''}`;
}

const units: readonly [ms: number, name: string][] = [
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
];

/** `Infinity` is longer than the histogram measures. */
export function spanWords(ms: number): string {
  if (ms === Infinity) return 'over 20 min';
  const [unit, name] = units.find(([each]) => ms >= each) ?? [1, 'ms'];
  return `${ms / unit} ${name}`;
}
