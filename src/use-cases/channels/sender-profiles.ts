/**
 * Profiles as upstream showed them lately, per node: a node that has not asked yet costs one more call, a shared cache would cost
 * every look-up a round trip and keep people's names in Redis. [spec: Sender profile cache]
 */
import type { Channel } from '../../domain/channels/channel.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { ProfileUpstream, SenderProfile } from '../ports/profiles.ts';
import { ShortLivedCache } from '../short-lived-cache.ts';
import { SingleFlight } from '../single-flight.ts';

/** About 1 kB each. */
const maxFound = 10_000;
const maxMissing = 10_000;
/** They share the connections of the sends: an upstream that hangs must not take those. */
const maxAskingPerNode = 64;
const maxAskingPerChannel = 16;

/** null: upstream shows none. */
export type KnownProfile = { profile: SenderProfile | null };

export interface ProfileTtls {
  foundMs: number;
  missingMs: number;
}

export class SenderProfiles {
  readonly #found: ShortLivedCache<KnownProfile>;
  readonly #missing: ShortLivedCache<KnownProfile>;
  readonly #ttls: ProfileTtls;
  readonly #underWay = new SingleFlight<KnownProfile>();
  readonly #asking = new Map<string, number>();
  #allAsking = 0;

  constructor(clock: Clock, ttls: ProfileTtls) {
    this.#ttls = ttls;
    this.#found = new ShortLivedCache({ max: maxFound, ttlMs: ttls.foundMs, clock });
    this.#missing = new ShortLivedCache({ max: maxMissing, ttlMs: ttls.missingMs, clock });
  }

  /** undefined: not known, or no longer fresh. */
  known(channel: Channel, userId: string): KnownProfile | undefined {
    const key = keyOf(channel, userId);
    return this.#found.get(key) ?? this.#missing.get(key);
  }

  /** One call, under the id of the first, for all who ask at a time. Throws Fault `overloaded`, `upstream_failed`: neither is remembered. */
  ask(upstream: ProfileUpstream, channel: Channel, userId: string): Promise<KnownProfile> {
    const key = keyOf(channel, userId);
    return this.#underWay.run(key, async () => {
      const profile = await this.#within(channel, () => upstream.profileOf(channel, userId));
      this.#remember(key, { profile });
      return { profile };
    });
  }

  /** `lru-cache` takes a life of 0 for "no end". */
  #remember(key: string, known: KnownProfile): void {
    const isFound = known.profile !== null;
    if (isFound && this.#ttls.foundMs > 0) this.#found.set(key, known);
    if (!isFound && this.#ttls.missingMs > 0) this.#missing.set(key, known);
  }

  async #within<T>({ id }: Channel, call: () => Promise<T>): Promise<T> {
    const ofChannel = this.#asking.get(id) ?? 0;
    if (ofChannel >= maxAskingPerChannel || this.#allAsking >= maxAskingPerNode) throw fault('overloaded');
    this.#asking.set(id, ofChannel + 1);
    this.#allAsking += 1;
    try {
      return await call();
    } finally {
      this.#allAsking -= 1;
      const left = (this.#asking.get(id) ?? 1) - 1;
      if (left === 0) this.#asking.delete(id);
      else this.#asking.set(id, left);
    }
  }
}

/** A scoped id means another person on another channel. Connected anew, the channel may be shown more. */
function keyOf({ id, connectedAt }: Channel, userId: string): string {
  return `${id}:${connectedAt}:${userId}`;
}
