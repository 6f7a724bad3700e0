import type { Counted } from '../given-up.ts';

const numbers = new Intl.NumberFormat('en');

export function numberWords(count: number): string {
  return numbers.format(count);
}

/** `10,000+`: at least that many. */
export function countWords({ count, isMore }: Counted): string {
  return `${numberWords(count)}${isMore ? '+' : ''}`;
}

/** Rounded down, so that it is never 100 % if something was given up. */
export function percentWords(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1).replace('.0', '')} %`;
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
