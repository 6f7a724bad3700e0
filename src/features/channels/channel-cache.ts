/**
 * Caches channels and their licences for 5 s, so that a send or an upstream event of a busy channel costs no query (with 1 s, a
 * thousand channels that take turns would miss). Each change is broadcast to every node; a node that owns its store alone learns of
 * every change and caches for a minute. Only usable channels are cached, never refusals: a stale permission does no harm, because
 * the channel's actor checks again with its own fresh settings before it acts, but a stale refusal would drop messages of a channel
 * that was just connected or paid for on another node.
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ChannelWithLicence } from './types.ts';
import type { Stores } from '../stores.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';

const max = 10_000;
/** Bounds the staleness after a lost invalidation of another node. */
const ttlMs = 5_000;
const ttlAloneMs = 60_000;
/** Takes some ms; one POST may name ten thousand channels. [faults: I9] */
const licencesPerTurn = 200;

export class ChannelCache {
  readonly #stores: Pick<Stores, 'channels' | 'subscriptions'>;
  readonly #channels: ShortLivedCache<ChannelWithLicence>;
  /** Upstream identity → channel id; valid only if `#channels` has the channel too. */
  readonly #owners: ShortLivedCache<string>;
  readonly #ofAccount = new SingleFlight<ChannelWithLicence | null>();
  readonly #ofIdentities = new SingleFlight<Channel[]>();
  readonly #clock: Clock;
  readonly #graceMs: number;
  #invalidations = 0;

  /** `isAlone`: no other process changes the store. */
  constructor(
    stores: Pick<Stores, 'channels' | 'subscriptions'>,
    clock: Clock,
    graceMs: number,
    isAlone = false,
  ) {
    this.#stores = stores;
    this.#clock = clock;
    this.#graceMs = graceMs;
    const kept = { max, ttlMs: isAlone ? ttlAloneMs : ttlMs, clock };
    this.#channels = new ShortLivedCache(kept);
    this.#owners = new ShortLivedCache(kept);
  }

  /**
   * The connected channel with its licence; null if absent or of another account. A hit counts only for its own account; every
   * other look-up queries the store with the account, so that foreign and absent ids take the same path. [faults: I6, 82]
   */
  async inAccount(channelId: string, accountId: string): Promise<ChannelWithLicence | null> {
    const known = this.#channels.get(channelId);
    if (known?.channel.accountId === accountId) return known;
    return this.#ofAccount.run(`${accountId}:${channelId}`, async () => {
      const asked = this.#invalidations;
      const channel = await this.#stores.channels.inAccount(channelId, accountId);
      return channel === null ? null : this.#withLicence(channel, asked);
    });
  }

  /** Connected channels that hold these upstream identities, by identity; unclaimed identities are missing. */
  async byIdentity(channelType: ChannelType, identities: readonly string[]): Promise<Map<string, Channel>> {
    const found = new Map<string, Channel>();
    const missing: string[] = [];
    for (const identity of identities) {
      const channel = this.remembered(channelType, identity);
      if (channel === null) missing.push(identity);
      else found.set(identity, channel);
    }
    if (missing.length > 0) await this.#findOwners(channelType, missing, found);
    return found;
  }

  /** The cached channel that holds this upstream identity; null on a miss. `byIdentity` also queries the store. */
  remembered(channelType: ChannelType, identity: string): Channel | null {
    const channelId = this.#owners.get(ownerKey(channelType, identity));
    if (channelId === undefined) return null;
    const channel = this.#channels.get(channelId)?.channel;
    return channel?.identity === identity ? channel : null;
  }

  /** Evicts the channel and its licence; loads that began before do not restore them. */
  invalidate(channelId: string): void {
    this.#invalidations += 1;
    this.#ofAccount.startAnew();
    this.#ofIdentities.startAnew();
    this.#channels.delete(channelId);
  }

  async #findOwners(
    channelType: ChannelType,
    identities: string[],
    found: Map<string, Channel>,
  ): Promise<void> {
    let isOwn = false;
    const lookUp = (): Promise<Channel[]> => {
      isOwn = true;
      return this.#lookUp(channelType, identities);
    };
    let channels = await this.#ofIdentities.run(`${channelType}:${identities.join()}`, lookUp);
    // A shared look-up may be older than this call and miss a channel connected or paid for since: only usable channels are shared.
    const isPermitted = (identity: string): boolean => this.remembered(channelType, identity) !== null;
    if (!isOwn && !identities.every(isPermitted)) channels = await lookUp();
    for (const channel of channels) if (channel.identity !== null) found.set(channel.identity, channel);
  }

  /** Also caches the channels. */
  async #lookUp(channelType: ChannelType, identities: readonly string[]): Promise<Channel[]> {
    const asked = this.#invalidations;
    const channels = await this.#stores.channels.byIdentity(channelType, identities);
    for (let from = 0; from < channels.length; from += licencesPerTurn) {
      if (from > 0) await yieldToLoop();
      const some = channels.slice(from, from + licencesPerTurn);
      await Promise.all(some.map((channel) => this.#remember(channelType, channel, asked)));
    }
    return channels;
  }

  async #remember(channelType: ChannelType, channel: Channel, asked: number): Promise<void> {
    if (channel.identity === null) return;
    this.#owners.set(ownerKey(channelType, channel.identity), channel.id);
    await this.#withLicence(channel, asked);
  }

  async #withLicence(channel: Channel, asked: number): Promise<ChannelWithLicence> {
    const { subscriptionId } = channel;
    const subscription =
      subscriptionId === null ? null : await this.#stores.subscriptions.byId(subscriptionId);
    const loaded = { channel, subscription };
    if (asked === this.#invalidations && this.#isUsable(loaded)) this.#channels.set(channel.id, loaded);
    return loaded;
  }

  #isUsable({ channel, subscription }: ChannelWithLicence): boolean {
    return channel.isActive && isOperable(subscription, this.#clock.now(), this.#graceMs);
  }
}

function ownerKey(channelType: ChannelType, identity: string): string {
  return `${channelType}:${identity}`;
}
