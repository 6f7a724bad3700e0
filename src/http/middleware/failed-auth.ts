import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import { hashOf } from '../../kernel/ids.ts';
import { makeSlowLane } from './paced-queue.ts';

/** [faults 84] An address may fail this often at once, and then this often per second. */
const burst = 100;
const perSecond = 10;
/** Both maps hold at most this many, those used longest ago go first: an attacker can't make us remember more. */
const maxRemembered = 10_000;

interface Bucket {
  failures: number;
  at: number;
}

export interface FailedAuthLimit {
  /** Seconds a guesser at this address has to wait; 0: look this key up at once. */
  waitSeconds(address: string, apiKey: string): number;
  /** Looks a key up although its address waits: it may be a right one, seen here for the first time. */
  slowly: <T>(lookUp: () => Promise<T>) => Promise<T>;
  failed(address: string, apiKey: string): void;
  succeeded(apiKey: string): void;
}

/**
 * Slows the guessing of keys down. Behind a proxy all clients share one address, so one guesser must not lock out its
 * neighbours: a key that was right the last time passes at once even while its address waits, an unknown one is looked up in
 * a paced queue, which bounds what guessing costs the store.
 */
export function makeFailedAuthLimit(clock: Clock): FailedAuthLimit {
  const buckets = new LRUCache<string, Bucket>({ max: maxRemembered });
  /** By hash: the keys themselves stay out of the memory. No expiry: whoever was right passes until it fails. */
  const goodKeys = new LRUCache<string, true>({ max: maxRemembered });

  return {
    slowly: makeSlowLane(clock),
    waitSeconds(address, apiKey) {
      const bucket = buckets.get(networkOf(address));
      const excess = bucket === undefined ? -1 : leftOf(bucket, clock.monotonic()) - (burst - 1);
      return excess <= 0 || goodKeys.has(hashOf(apiKey)) ? 0 : Math.max(1, Math.ceil(excess / perSecond));
    },
    failed(address, apiKey) {
      goodKeys.delete(hashOf(apiKey)); // revoked
      const now = clock.monotonic();
      const network = networkOf(address);
      const bucket = buckets.get(network);
      buckets.set(network, { failures: (bucket === undefined ? 0 : leftOf(bucket, now)) + 1, at: now });
    },
    // Costs a hash per request, some 2 µs: a key must be known before somebody begins to fail.
    succeeded: (apiKey) => void goodKeys.set(hashOf(apiKey), true),
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
