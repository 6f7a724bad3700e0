import type { Clock } from '../../kernel/clock.ts';
import { hashOf } from '../../kernel/ids.ts';

/** [faults 84] An address may fail this often at once, and then this often per second. */
const burst = 100;
const perSecond = 10;
/** Both maps hold at most this many, the oldest go first: an attacker can't make us remember more. */
const mostRemembered = 10_000;
const goodKeyMs = 300_000;

interface Bucket {
  failures: number;
  at: number;
}

export interface FailedAuthLimit {
  /** Seconds this address has to wait before this key is looked up; 0: look it up. */
  waitSeconds(address: string, apiKey: string): number;
  failed(address: string): void;
  succeeded(apiKey: string): void;
}

/**
 * Slows the guessing of keys down before the store is asked. Behind a proxy all clients share one address, so a key that was
 * right a short while ago passes even while its address waits: one guesser must not lock out its neighbours.
 */
export function makeFailedAuthLimit(clock: Clock): FailedAuthLimit {
  const buckets = new Map<string, Bucket>();
  const goodKeys = new Map<string, number>();
  const isGood = (apiKey: string) => (goodKeys.get(hashOf(apiKey)) ?? 0) > clock.monotonic();

  return {
    waitSeconds(address, apiKey) {
      const bucket = buckets.get(networkOf(address));
      const excess = bucket === undefined ? -1 : leftOf(bucket, clock.monotonic()) - (burst - 1);
      return excess <= 0 || isGood(apiKey) ? 0 : Math.max(1, Math.ceil(excess / perSecond));
    },
    failed(address) {
      const now = clock.monotonic();
      const network = networkOf(address);
      const bucket = buckets.get(network);
      remember(buckets, network, { failures: (bucket === undefined ? 0 : leftOf(bucket, now)) + 1, at: now });
    },
    succeeded(apiKey) {
      // Costs a hash: only paid while somebody is failing.
      if (buckets.size > 0) remember(goodKeys, hashOf(apiKey), clock.monotonic() + goodKeyMs);
    },
  };
}

function leftOf(bucket: Bucket, now: number): number {
  return Math.max(0, bucket.failures - ((now - bucket.at) / 1000) * perSecond);
}

/** A home gets a whole /64 of IPv6: its addresses count as one. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  return address.split(':').slice(0, 4).join(':');
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostRemembered) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
