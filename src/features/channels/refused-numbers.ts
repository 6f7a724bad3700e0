/**
 * A send that is refused because the channel's number is not registered: the account is told to connect it again, once per token, unless
 * that is not needed. The service registers a number whose registration is pending by itself, and a phone its own. [spec: Send error codes;
 * upstream §2.4]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { hourMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import { nameToken } from './health.ts';
import { mailReconnect } from './refused-tokens.ts';

/** Every send of such a number is refused: one look is enough for a while. */
const noted = { max: 10_000, ttlMs: hourMs };

export interface RefusedNumber {
  /** The channel as it was at the upstream call. */
  channel: Channel;
  code: number;
}

export class RefusedNumbers {
  readonly #world: World;
  readonly #noted: ShortLivedCache<true>;

  constructor(world: World) {
    this.#world = world;
    this.#noted = new ShortLivedCache({ ...noted, clock: world.clock });
  }

  /** Fire and forget. Never rejects: after a store error the next refusal is noted. */
  async note({ channel, code }: RefusedNumber): Promise<void> {
    const key = nameToken(channel);
    if (this.#noted.get(key) === true) return;
    this.#noted.set(key, true);
    try {
      if (await this.#needsReconnect(channel)) await mailReconnect(this.#world, channel, code);
    } catch (thrown) {
      this.#noted.delete(key);
      this.#world.log.warn({ channel: channel.id, error: asError(thrown) }, 'channel.refusal-not-noted');
    }
  }

  async #needsReconnect({ id, channelType, profile, token }: Channel): Promise<boolean> {
    if (kindOf(channelType).isOnPhone(profile) === true) return false;
    const { channels, health } = this.#world.stores;
    const [now, problems] = [await channels.byId(id), (await health.of(id))?.problems ?? []];
    // Another token: reconnected meanwhile.
    if (now === null || !now.isActive || now.token !== token) return false;
    return !problems.some(({ code }) => code === 'registration_pending');
  }
}
