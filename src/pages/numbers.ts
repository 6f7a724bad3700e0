const numbers = new Intl.NumberFormat('en');

export function numberWords(count: number): string {
  return numbers.format(count);
}

/** Rounded down, so that it is never 100 % if something failed. */
export function percentWords(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1).replace('.0', '')} %`;
}
