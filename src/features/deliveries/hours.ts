/**
 * Counts of an account's deliveries by the hour in which each ended at last, with a histogram of the latency of successful ones, from
 * upstream's event to the receiver's 2xx.
 */
import { hourMs } from '../../kernel/clock.ts';

const outcomes = ['delivered', 'retried', 'givenUp'] as const;

/** Upper bounds in ms. Longer latencies are `later`. */
const latencyBounds = [
  ['within20ms', 20],
  ['within50ms', 50],
  ['within100ms', 100],
  ['within200ms', 200],
  ['within500ms', 500],
  ['within1s', 1_000],
  ['within2s', 2_000],
  ['within5s', 5_000],
  ['within10s', 10_000],
  ['within30s', 30_000],
  ['within1min', 60_000],
  ['within5min', 300_000],
  ['within20min', 1_200_000],
] as const;

type LatencyBucket = (typeof latencyBounds)[number][0] | 'later';
type CountName = (typeof outcomes)[number] | LatencyBucket;

/** `delivered`: at the first attempt; `retried`: at a later one. Both are also counted in one latency bucket. */
export type DeliveryCounts = Record<CountName, number>;

/** `at`: start of the hour (ms). */
export interface DeliveryHour extends DeliveryCounts {
  id: string;
  accountId: string;
  at: number;
}

const buckets: readonly LatencyBucket[] = [...latencyBounds.map(([bucket]) => bucket), 'later'];
export const countNames: readonly CountName[] = [...outcomes, ...buckets];

export function findHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

export function noCounts(): DeliveryCounts {
  return {
    delivered: 0,
    retried: 0,
    givenUp: 0,
    within20ms: 0,
    within50ms: 0,
    within100ms: 0,
    within200ms: 0,
    within500ms: 0,
    within1s: 0,
    within2s: 0,
    within5s: 0,
    within10s: 0,
    within30s: 0,
    within1min: 0,
    within5min: 0,
    within20min: 0,
    later: 0,
  };
}

export function emptyHour(accountId: string, at: number): DeliveryHour {
  return { id: `${accountId}:${at}`, accountId, at, ...noCounts() };
}

export function findBucket(latencyMs: number): LatencyBucket {
  return latencyBounds.find(([, bound]) => latencyMs <= bound)?.[0] ?? 'later';
}

export function addCounts(to: DeliveryCounts, more: DeliveryCounts): void {
  for (const name of countNames) to[name] += more[name];
}

/** Share of successful deliveries among all that ended; null: none ended. */
export function findSuccessRate({ delivered, retried, givenUp }: DeliveryCounts): number | null {
  const taken = delivered + retried;
  return taken + givenUp === 0 ? null : taken / (taken + givenUp);
}

/**
 * 95th percentile of the latency of successful deliveries (ms): the upper bound of the bucket that contains it. Infinity: in the last,
 * open bucket; null: no successful delivery.
 */
export function findLatency(counts: DeliveryCounts): number | null {
  const all = buckets.reduce((sum, bucket) => sum + counts[bucket], 0);
  if (all === 0) return null;
  let within = 0;
  for (const [bucket, bound] of latencyBounds) {
    within += counts[bucket];
    if (within >= all * 0.95) return bound;
  }
  return Infinity;
}
