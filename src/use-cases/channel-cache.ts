/**
 * Channels and their licences as the store had them at most 5 s ago, so that a send or an upstream event costs no query for a busy
 * channel: a second was too short for a thousand channels that take turns. Whatever changes one is told to every node at once; a node
 * that has its store for itself hears of every change, and remembers for a minute. Only what permits is remembered, never what
 * refuses: a stale permission can do no harm, because the channel's actor checks again with its own fresh settings before it acts,
 * but a stale refusal would drop messages of a channel that was connected or paid for on another node just now.
 */
import type { Channel } from '../domain/channels/channel.ts';
import type { ChannelType } from '../domain/vocabulary.ts';
import { isOperable } from '../domain/licences/operability.ts';
import { yieldToLoop } from '../kernel/yield-to-loop.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ChannelWithLicence } from './channels/types.ts';
import type { Stores } from './ports/stores.ts';
import { ShortLivedCache } from './short-lived-cache.ts';
import { SingleFlight } from './single-flight.ts';

const max = 10_000;
/** Another node's word of a change may be lost on its way. */
const ttlMs = 5_000;
const ttlAloneMs = 60_000;
/** Some ms of reading: one POST may name ten thousand channels. [faults: I9] */
const licencesPerTurn = 200;

export class ChannelCache {
  readonly #stores: Pick<Stores, 'channels' | 'subscriptions'>;
  readonly #channels: ShortLivedCache<ChannelWithLicence>;
  /** Upstream identity → channel id; says nothing by itself, the channel must be known too. */
  readonly #owners: ShortLivedCache<string>;
  readonly #ofAccount = new SingleFlight<ChannelWithLicence | null>();
  readonly #ofIdentities = new SingleFlight<Channel[]>();
  readonly #clock: Clock;
  readonly #graceMs: number;
  #invalidations = 0;

  /** `isAlone`: nobody else changes the store. */
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
   * The connected channel with its licence; null when absent or of another account. A hit counts only for its own account, and
   * every other question goes to the store with its account: foreign and absent ids take the same way. [faults: I6, 82]
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

  /** The connected channels that hold these upstream identities, by identity; identities nobody holds are left out. */
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

  /** The channel that holds this upstream identity, as far as that is remembered; `byIdentity` asks the store too. */
  remembered(channelType: ChannelType, identity: string): Channel | null {
    const channelId = this.#owners.get(ownerKey(channelType, identity));
    if (channelId === undefined) return null;
    const channel = this.#channels.get(channelId)?.channel;
    return channel?.identity === identity ? channel : null;
  }

  /** Forgets the channel and its licence at once; loads that began before do not bring them back. */
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
    // A look-up that began before this question may have missed who connected or paid in between: only what permits is shared.
    const isPermitted = (identity: string): boolean => this.remembered(channelType, identity) !== null;
    if (!isOwn && !identities.every(isPermitted)) channels = await lookUp();
    for (const channel of channels) if (channel.identity !== null) found.set(channel.identity, channel);
  }

  /** And remembers them. */
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
