/** Summary of several rounds. Median and extremes only: a mean hides a round that another process disturbed. */

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

/** Nearest rank in a sorted list; for the median of an even count, the mean of both middle values; NaN for an empty list. */
export function quantile(sorted: readonly number[], q: number): number {
  const rank = q * (sorted.length - 1);
  if (q === 0.5) return ((sorted[Math.floor(rank)] ?? NaN) + (sorted[Math.ceil(rank)] ?? NaN)) / 2;
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? NaN;
}

export interface Latency {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export function latencyOf(ms: readonly number[]): Latency {
  const sorted = ms.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    maxMs: sorted.at(-1) ?? NaN,
  };
}

export interface Point {
  atMs: number;
  value: number;
}

/** Slope of the least-squares line through the points; 0 for fewer than two. */
export function slopePerMinute(points: readonly Point[]): number {
  const mean = (pick: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [at, value] = [mean((point) => point.atMs), mean((point) => point.value)];
  const squares = points.reduce((sum, point) => sum + (point.atMs - at) ** 2, 0);
  const products = points.reduce((sum, point) => sum + (point.atMs - at) * (point.value - value), 0);
  return squares === 0 ? 0 : (products / squares) * 60_000;
}
