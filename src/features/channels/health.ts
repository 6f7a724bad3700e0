/** A channel's health and profile, refreshed from upstream if the stored state is old. */
import { isDeepStrictEqual } from 'node:util';
import { findProblems, unknownHealth } from '../../rules/channels/health.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { ChannelProfile } from '../../rules/channels/profile.ts';
import { Fault } from '../../kernel/faults.ts';
import { shortHash } from '../../kernel/ids.ts';
import { announceChange } from './announce-change.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { underRequest } from '../world.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import { findChannel, findLicence, withSameToken } from './find.ts';
import type { ChannelProber, ProbeAnswer } from './prober.ts';
import { recordProbed } from './probed-problems.ts';
import type { ChannelHealthAnswer, ChannelWithHealth } from './types.ts';
import { noteWords } from './note-words.ts';

/** Bounded, because probes and sends share connections. */
const maxProbes = 16;
/** Upstream limits such calls per hour, so repeated requests get the stored state. [upstream §3.8] */
const freshMs = 60_000;
/** Channels whose last probe got no answer. */
const maxFailed = 10_000;

type ProbeWorld = Omit<World, 'probes'>;

export class ChannelProbes implements ChannelProber {
  readonly #world: ProbeWorld;
  readonly #underWay = new SingleFlight<ProbeAnswer | null>();
  /** By channel and token: a failed probe is not repeated sooner than a successful one. */
  readonly #failed: ShortLivedCache<true>;
  #probing = 0;

  constructor(world: ProbeWorld) {
    this.#world = world;
    // At least 2 ms: a cache with a shorter TTL keeps nothing.
    const ttlMs = Math.max(2, findFreshMs(world));
    this.#failed = new ShortLivedCache({ max: maxFailed, ttlMs, clock: world.clock });
  }

  probe(channel: Channel, requestId?: string): Promise<ProbeAnswer | null> {
    return this.#underWay.run(channel.id, async () => {
      const { health, stores, clock, log } = underRequest(this.#world, requestId);
      if (channel.token === null || this.#probing >= maxProbes) return null;
      this.#probing += 1;
      try {
        const askedAt = clock.now();
        const { state, profile, saysEchoes, ...shown } = await health.probe(channel);
        // Removed or connected again meanwhile: the new token is not refused, and what is removed is in no list.
        if ((await withSameToken({ stores }, channel)) === null) return null;
        const { quality_rating: quality = null } = kindOf(channel.channelType).publicFields(channel.profile);
        // As old as the question, so that it is never newer than a connection that came meanwhile.
        await stores.health.noteUpstream(channel.id, state, askedAt, quality);
        await stores.health.noteAccount(channel);
        await recordProbed(this.#world, channel, shown);
        if (profile !== null) await this.#renew(channel, profile);
        return { ...state, saysEchoes };
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        log.info({ channel: channel.id, why: thrown.message }, 'channel.not-probed');
        this.#failed.set(nameToken(channel), true);
        return null;
      } finally {
        this.#probing -= 1;
      }
    });
  }

  async probeAnew(channel: Channel, requestId?: string): Promise<ProbeAnswer | null> {
    await this.#underWay.ended(channel.id);
    return this.probe(channel, requestId);
  }

  async askWhenOld(channel: Channel, requestId?: string): Promise<void> {
    const known = await knownHealth(this.#world, channel.id);
    const isKnown = isFresh(this.#world, channel, known) || this.#failed.get(nameToken(channel)) === true;
    if (!isKnown) await this.probe(channel, requestId);
  }

  async #renew(channel: Channel, profile: ChannelProfile): Promise<void> {
    if (isDeepStrictEqual(profile, channel.profile)) return;
    const isRenewed = await this.#world.stores.channels.renewProfile(channel, profile);
    if (!isRenewed) return;
    await announceChange(this.#world, channel.id);
    await noteWords(this.#world, { ...channel, profile });
  }
}

/** Throws 404 `not_found`. If upstream does not answer, the result is the stored state with its time. */
export async function channelHealth(
  world: World,
  caller: Caller,
  channelId: string,
): Promise<ChannelHealthAnswer> {
  return refreshedHealth(world, await findChannel(world, caller, channelId), caller.requestId);
}

/** As `channelHealth`, for a channel of any account. */
export async function refreshedHealth(
  world: World,
  channel: Channel,
  requestId?: string,
): Promise<ChannelWithHealth> {
  const subscription = await findLicence(world, channel);
  const now = world.clock.now();
  if (channel.isActive) await world.probes.askWhenOld(channel, requestId);
  let health = await knownHealth(world, channel.id);
  // Inactive channels are not probed, and the subscription may have ended with the channel. [spec: Channel activity]
  if (!channel.isActive) health = { ...health, isSubscribed: null };
  const hasLicence = isOperable(subscription, now, world.settings.graceMs);
  const problems = findProblems(channel, health, hasLicence, world.appProblems.of(channel.channelType));
  return { channel, subscription, health, problems };
}

async function knownHealth(world: ProbeWorld, channelId: string): Promise<ChannelHealth> {
  const withSeen = world.activity.reader();
  return withSeen((await world.stores.health.of(channelId)) ?? unknownHealth(channelId));
}

function isFresh(world: ProbeWorld, channel: Channel, health: ChannelHealth): boolean {
  const checkedAt = checkedSince(channel, health);
  return checkedAt !== null && world.clock.now() - checkedAt < findFreshMs(world);
}

function findFreshMs({ settings }: ProbeWorld): number {
  return Math.min(freshMs, settings.healthCheckIntervalMs);
}

/** A reconnected channel has another token and so another name. */
export function nameToken({ id, token }: Channel): string {
  return `${id}:${shortHash(token ?? '')}`;
}

/** Time of the last check; null if it was before the last reconnect, because it concerned another token. */
export function checkedSince({ connectedAt }: Channel, { checkedAt }: ChannelHealth): number | null {
  return checkedAt !== null && checkedAt >= (connectedAt ?? 0) ? checkedAt : null;
}
