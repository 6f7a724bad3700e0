/**
 * Cache of upstream's profiles: this node's look-ups in memory, those of other nodes in the shared cache if there is
 * one. [spec: Sender profile cache]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { ProfileUpstream } from '../../upstream/profile-calls.ts';
import type { KnownProfile, ProfileSubject, SharedProfiles } from './shared-profiles.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';

/** About 1 kB each. */
const maxFound = 10_000;
const maxMissing = 10_000;
/** Bounded, because profile calls and sends share connections: a hanging upstream must not exhaust them. */
const maxAskingPerNode = 64;
const maxAskingPerChannel = 16;

interface ProfileTtls {
  foundMs: number;
  missingMs: number;
}

export class SenderProfiles {
  readonly #found: ShortLivedCache<KnownProfile>;
  readonly #missing: ShortLivedCache<KnownProfile>;
  readonly #ttls: ProfileTtls;
  readonly #underWay = new SingleFlight<KnownProfile>();
  readonly #shared: SharedProfiles | null;
  readonly #asking = new Map<string, number>();
  #allAsking = 0;

  /** `shared` is null on a single node. */
  constructor(clock: Clock, ttls: ProfileTtls, shared: SharedProfiles | null) {
    this.#ttls = ttls;
    this.#shared = shared;
    this.#found = new ShortLivedCache({ max: maxFound, ttlMs: ttls.foundMs, clock });
    this.#missing = new ShortLivedCache({ max: maxMissing, ttlMs: ttls.missingMs, clock });
  }

  /** undefined: not cached, or expired. */
  async known(channel: Channel, userId: string): Promise<KnownProfile | undefined> {
    const key = makeKey(channel, userId);
    const own = this.#found.get(key) ?? this.#missing.get(key);
    return own ?? this.#shared?.recall(toSubject(channel, userId));
  }

  /** Concurrent callers share one call, under the first one's id. Throws Fault `overloaded`, `upstream_failed`; neither is cached. */
  ask(upstream: ProfileUpstream, channel: Channel, userId: string): Promise<KnownProfile> {
    const key = makeKey(channel, userId);
    return this.#underWay.run(key, async () => {
      const profile = await this.#within(channel, () => upstream.readProfile(channel, userId));
      await this.#remember(channel, userId, { profile });
      return { profile };
    });
  }

  async #remember(channel: Channel, userId: string, known: KnownProfile): Promise<void> {
    const isFound = known.profile !== null;
    const ttlMs = isFound ? this.#ttls.foundMs : this.#ttls.missingMs;
    if (ttlMs === 0) return;
    (isFound ? this.#found : this.#missing).set(makeKey(channel, userId), known);
    await this.#shared?.remember(toSubject(channel, userId), known, ttlMs);
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

function makeKey({ id, connectedAt }: Channel, userId: string): string {
  return `${id}:${connectedAt}:${userId}`;
}

function toSubject({ id: channelId, accountId, connectedAt }: Channel, userId: string): ProfileSubject {
  return { accountId, channelId, connectedAt, userId };
}
